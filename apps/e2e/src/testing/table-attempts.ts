import type { Client } from 'pg';

/** The tables and views of a schema, quoted, each with one of its columns. Its owner reads them. */
export async function tablesOf(owner: Client, schema: string): Promise<{ table: string; column: string }[]> {
  const { rows } = await owner.query<{ table: string; column: string }>(
    `select format('%I.%I', n.nspname, c.relname) as table, format('%I', min(a.attname)) as column
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped
     group by c.oid, n.nspname, c.relname`,
    [schema],
  );
  return rows;
}

/** Statements that use a table in every way. `explain` checks the rights and has no effect. */
export const tableAttempts = (table: string, column: string): Record<string, string> => ({
  select: `explain select ${column} from ${table}`,
  insert: `explain insert into ${table} default values`,
  update: `explain update ${table} set ${column} = default`,
  delete: `explain delete from ${table}`,
  truncate: `truncate ${table}`,
  alter: `alter table ${table} set schema public`,
});
