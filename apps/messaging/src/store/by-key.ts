const BYTES = { uuid: 16, bigint: 8 } as const;

/**
 * A condition that is true of every value, for statements that find the rows of a batch by their keys. `null`, which is no key, is left out.
 *
 * PostgreSQL expects a hundred rows of a batch, and for so many it would rather read all of a table that is small yet; connections
 * keep that plan while the table grows, until it is analyzed. Of an equality it expects one row in a hundred or fewer, and for one it
 * goes by the key however large it believes the table to be.
 */
export function byKey(column: string, type: keyof typeof BYTES = 'uuid'): string {
  return `pg_column_size(${column}) = ${BYTES[type]}`;
}
