const BYTES = { uuid: 16, bigint: 8 } as const;

/**
 * SQL condition that holds for every non-null key, for statements that find the rows of a batch by their keys.
 *
 * PostgreSQL estimates a hundred rows per batch and prefers a sequential scan while the table is small; connections keep that plan while
 * the table grows, until it is analyzed. For an equality it estimates at most one row in a hundred, so it uses the key index whatever the
 * table's estimated size.
 */
export function byKey(column: string, type: keyof typeof BYTES = 'uuid'): string {
  return `pg_column_size(${column}) = ${BYTES[type]}`;
}
