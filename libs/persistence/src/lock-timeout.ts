/** How long a statement of a migration waits for a lock, in ms; for as long, other statements on the table may wait behind it. */
export const LOCK_TIMEOUT_MS = 2_000;
