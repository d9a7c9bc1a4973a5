/** SQL: a time with all its microseconds, as a cursor carries it; a `Date` would lose three digits, and a page its rows. */
export const exactInstant = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
