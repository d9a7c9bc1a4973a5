import { escapeIdentifier } from 'pg';
import type { QueryRunner } from 'typeorm';
import { assertPlainIdentifier } from './connection';
import { LOCK_TIMEOUT_MS } from './lock-timeout';

interface NewIndex {
  /** At most 40 characters, the same for every run. */
  name: string;
  /** A table of the schema; partitioned ones too. */
  table: string;
  /** What follows the table: `(workspace_id, id) where archived`. */
  definition: string;
  unique?: boolean;
}

const FIND_TABLE = 'SELECT relkind = $2 AS partitioned FROM pg_class WHERE oid = to_regclass($1)';
const IS_INVALID = 'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid';
/** Partitions whose index is not attached yet. */
const OPEN_PARTITIONS = `
  SELECT p.relname AS name FROM pg_inherits t JOIN pg_class p ON p.oid = t.inhrelid
  WHERE t.inhparent = to_regclass($1) AND NOT EXISTS (
    SELECT FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid WHERE i.inhparent = to_regclass($2) AND x.indrelid = p.oid
  ) ORDER BY p.relname`;

/**
 * Builds an index while the table is read and written. For migrations with `transaction = false`; may be repeated after a failure.
 * It waits without limit for statements that run already, and no statement waits for it.
 */
export async function createIndexConcurrently(runner: QueryRunner, { name, table, definition, unique = false }: NewIndex): Promise<void> {
  assertPlainIdentifier(name);
  const [found] = (await runner.query(FIND_TABLE, [table, 'p'])) as { partitioned: boolean }[];
  await runner.query('SET lock_timeout = 0');
  try {
    const kind = unique ? 'unique index' : 'index';
    if (!found?.partitioned) return await build(runner, kind, name, table, definition);
    // The index of the whole is valid when each partition has its own; partitions made from now on get theirs at once.
    await runner.query(`create ${kind} if not exists ${name} on only ${table} ${definition}`);
    const partitions = (await runner.query(OPEN_PARTITIONS, [table, name])) as { name: string }[];
    for (const partition of partitions) {
      const part = escapeIdentifier(`${partition.name}_${name}`);
      await build(runner, kind, part, escapeIdentifier(partition.name), definition);
      await runner.query(`alter index ${name} attach partition ${part}`);
    }
  } finally {
    await runner.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  }
}

async function build(runner: QueryRunner, kind: string, name: string, table: string, definition: string) {
  // What an interrupted build left is never used.
  const left = (await runner.query(IS_INVALID, [name])) as object[];
  if (left.length > 0) await runner.query(`drop index concurrently ${name}`);
  await runner.query(`create ${kind} concurrently if not exists ${name} on ${table} ${definition}`);
}
