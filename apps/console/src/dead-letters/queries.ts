import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { ofFirstPage, PAGE_SIZE, SLOW_REFRESH_MS } from '../api/refresh';

/** A page of the dead letters that wait; the first one renews itself. */
export const deadLettersQuery = ({ topic, cursor }: { topic?: string; cursor?: string }) =>
  queryOptions({
    queryKey: ['dead-letters', topic, cursor],
    queryFn: () => answerOf(api.GET('/admin/dead-letters', { params: { query: { topic, cursor, limit: PAGE_SIZE } } })),
    refetchInterval: ofFirstPage(cursor, SLOW_REFRESH_MS),
  });

/** A dead letter with its record, which does not change. */
export const deadLetterQuery = (id: string) =>
  queryOptions({
    queryKey: ['dead-letter', id],
    queryFn: () => answerOf(api.GET('/admin/dead-letters/{id}', { params: { path: { id } } })),
  });

/** What is done with dead letters. */
export type Treatment = 'redrive' | 'discard';

export async function treat(id: string, treatment: Treatment): Promise<void> {
  const params = { path: { id } };
  if (treatment === 'redrive') await answerOf(api.POST('/admin/dead-letters/{id}/redrive', { params }));
  else await answerOf(api.DELETE('/admin/dead-letters/{id}', { params }));
}

/** What has been done with the dead letters so far, and why others were left. */
export interface Treated {
  done: number;
  left: { id: string; error: string }[];
}

/**
 * Treats all that wait now, of a topic or of all, step after step, until `signal` aborts. What a step has done is done, also if a later one
 * fails.
 */
export async function treatAll(
  topic: string | undefined,
  treatment: Treatment,
  onStep: (treated: Treated) => void,
  signal: AbortSignal,
): Promise<Treated> {
  const path = treatment === 'redrive' ? '/admin/dead-letters/redrive' : '/admin/dead-letters/discard';
  const treated: Treated = { done: 0, left: [] };
  let cursor: string | undefined;
  do {
    const { done, left, next } = await answerOf(api.POST(path, { body: { topic, cursor } }));
    treated.done += done;
    treated.left.push(...left);
    onStep({ ...treated });
    cursor = next ?? undefined;
  } while (cursor !== undefined && !signal.aborted);
  return treated;
}
