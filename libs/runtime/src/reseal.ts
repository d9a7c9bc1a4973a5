import { invalid } from '@tidings/contracts/core/refusals';
import type { ResealedSecrets, ResealSecrets } from '@tidings/contracts/core/reseal';

/** The result of resealing some rows of one table. */
export interface ResealedRows {
  resealed: number;
  unreadable: number;
  /** Key of the last row, where further ones may follow. */
  next?: readonly string[];
}

/** Seals rows of a table again with the first secret key: some, those after a key. */
export type ResealTable = (after: readonly string[] | undefined) => Promise<ResealedRows>;

/** Resolves with the result of one step over tables in their order. @throws ServiceError `invalid_request` for a cursor of none. */
export async function resealStep(tables: readonly ResealTable[], { cursor }: ResealSecrets): Promise<ResealedSecrets> {
  const [table, ...after] = cursor ? parse(cursor) : [0];
  const reseal = tables[table];
  if (!reseal) throw invalidCursor(cursor);
  const { resealed, unreadable, next } = await reseal(after.length > 0 ? after : undefined);
  const following = next ? [table, ...next] : table + 1 < tables.length ? [table + 1] : undefined;
  return { done: !following, ...(following && { cursor: JSON.stringify(following) }), resealed, unreadable };
}

/** Runs all steps, until `isStopped`. Resolves with the counts. */
export async function resealAll(tables: readonly ResealTable[], isStopped: () => boolean): Promise<Omit<ResealedSecrets, 'cursor'>> {
  const all = { done: false, resealed: 0, unreadable: 0 };
  let cursor: string | undefined;
  while (!all.done && !isStopped()) {
    const step = await resealStep(tables, { cursor });
    ({ cursor } = step);
    all.done = step.done;
    all.resealed += step.resealed;
    all.unreadable += step.unreadable;
  }
  return all;
}

function parse(cursor: string): [number, ...string[]] {
  try {
    const [table, ...after] = JSON.parse(cursor) as unknown[];
    if (typeof table === 'number' && after.every((one) => typeof one === 'string')) return [table, ...after];
  } catch {
    // Refused below.
  }
  throw invalidCursor(cursor);
}

function invalidCursor(cursor: string | null | undefined) {
  return invalid(`cursor ${JSON.stringify(cursor?.slice(0, 100))} is none of this operation: begin without one`);
}
