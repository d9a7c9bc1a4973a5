import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { PAGE_SIZE } from '../api/refresh';
import type { paths } from '../api/schema';
import type { Suppression } from '../api/types';

type Query = NonNullable<paths['/suppressions']['get']['parameters']['query']>;
type Key = Pick<Suppression, 'channel'> & { address: string };

/** What the list is limited to, as the address of the page has it. */
export type SuppressionFilter = Partial<Record<'address' | 'channel' | 'reason', string>>;

export const suppressionsQuery = (filter: SuppressionFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['suppressions', filter, cursor],
    queryFn: () => answerOf(api.GET('/suppressions', { params: { query: { ...filter, cursor, limit: PAGE_SIZE } as Query } })),
  });

/** The suppression of an address; `null` where it is not suppressed: the list answers that without an error. */
export const suppressionQuery = ({ channel, address }: { channel: string; address: string }) =>
  queryOptions({
    queryKey: ['suppression', channel, address],
    queryFn: async (): Promise<Suppression | null> => {
      const query = { channel, address } as Query;
      return (await answerOf(api.GET('/suppressions', { params: { query } }))).results[0] ?? null;
    },
  });

export function suppress({ reason, ...path }: Key & Pick<Suppression, 'reason'>): Promise<Suppression> {
  return answerOf(api.PUT('/suppressions/{channel}/{address}', { params: { path }, body: { reason } }));
}

export function removeSuppression(path: Key) {
  return answerOf(api.DELETE('/suppressions/{channel}/{address}', { params: { path } }));
}
