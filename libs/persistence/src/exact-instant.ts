/** SQL: a time in microseconds, for cursors. A `Date` has milliseconds only: the next page would skip rows. */
export const exactInstant = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
