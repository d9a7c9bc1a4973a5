/** Rows of a page, where the interface lets the client choose. */
export const PAGE_SIZE = 50;

/** How often what a user watches is read again. */
export const LIVE_MS = 2_000;
/** How often lists and states are read again. */
export const REFRESH_MS = 5_000;
/** How often figures, and what changes rarely, are read again. */
export const SLOW_REFRESH_MS = 10_000;

/** The first page of a list renews itself; on later ones no row moves. */
export function ofFirstPage(cursor: string | undefined, ms = REFRESH_MS): number | false {
  return cursor === undefined && ms;
}
