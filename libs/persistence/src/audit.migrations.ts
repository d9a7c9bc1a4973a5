import type { QueryRunner } from 'typeorm';

/** The setting of a transaction whose changes are audited: the names of the changed fields so far, as JSON. Elsewhere it is empty. */
export const AUDIT_SETTING = 'tidings.audit';

/** Names that are collected in one transaction, on each side. */
const NAMES_MAX = 100;
const NAME_LENGTH_MAX = 100;
/** Columns that change with every write, and the workspace. */
const IGNORED = ['workspace_id', 'created_at', 'updated_at', 'revision', 'bytes', 'version', 'latest_version'];

/** What the audit event of a change calls the fields of a table. */
export type WatchedTable =
  /** By their columns; those of an object by its keys too: `settings.colors`. */
  | { table: string; ignored?: readonly string[] }
  /** As above. A new version is compared with the one before it; versions that are removed are no change. */
  | { table: string; ignored?: readonly string[]; versionsOf: readonly string[] }
  /** Each row as one field, of this name and the value of a column: `preferences.news`. */
  | { table: string; rows: string; by?: string };

/** SQL: what the event calls a row of a table whose rows are fields. */
const rowName = (row: string) => `left(tg_argv[1] || coalesce('.' || (${row} ->> tg_argv[2]), ''), ${NAME_LENGTH_MAX})`;

/** The functions behind the triggers. */
async function createFunctions(runner: QueryRunner) {
  await runner.query(`
      create or replace function audit_fields(stored jsonb, ignored text[]) returns table (name text, value jsonb)
      language sql immutable as $$
        select entry.key, entry.value from jsonb_each(stored) entry
         where jsonb_typeof(entry.value) not in ('object', 'null') and entry.key <> all (ignored)
        union all
        select left(entry.key || '.' || field.key, ${NAME_LENGTH_MAX}), field.value from jsonb_each(stored) entry
         cross join lateral jsonb_each(case jsonb_typeof(entry.value) when 'object' then entry.value else '{}' end) field
         where entry.key <> all (ignored)
      $$`);
  // `old` and `new` by tg_argv: 'rows', name, column | 'fields', ignored columns | 'versions', ignored columns, condition of one resource.
  await runner.query(`
      create or replace function audit_change() returns trigger language plpgsql as $$
      declare
        collected jsonb := current_setting('${AUDIT_SETTING}');
        old_row jsonb;
        new_row jsonb;
        old_names jsonb := '{}';
        new_names jsonb := '{}';
      begin
        if tg_op <> 'INSERT' then old_row := to_jsonb(old); end if;
        if tg_op <> 'DELETE' then new_row := to_jsonb(new); end if;
        if tg_argv[0] = 'rows' then
          if old_row is not null then old_names := jsonb_build_object(${rowName('old_row')}, true); end if;
          if new_row is not null then new_names := jsonb_build_object(${rowName('new_row')}, true); end if;
        else
          if tg_argv[0] = 'versions' and tg_op = 'INSERT' then
            execute format('select to_jsonb(earlier) from %I.%I earlier where %s and earlier.version < ($1).version
                             order by earlier.version desc limit 1', tg_table_schema, tg_table_name, tg_argv[2])
               into old_row using new;
          end if;
          select coalesce(jsonb_object_agg(changed.name, true) filter (where changed.old_value is not null), '{}'),
                 coalesce(jsonb_object_agg(changed.name, true) filter (where changed.new_value is not null), '{}')
            into old_names, new_names
            from (select name, earlier.value as old_value, later.value as new_value
                    from audit_fields(coalesce(old_row, '{}'), tg_argv[1]::text[]) earlier
                    full join audit_fields(coalesce(new_row, '{}'), tg_argv[1]::text[]) later using (name)
                   where earlier.value is distinct from later.value
                   order by name limit ${NAMES_MAX}) changed;
        end if;
        old_names := coalesce(collected -> 'before', '{}') || old_names;
        new_names := coalesce(collected -> 'after', '{}') || new_names;
        if old_names = collected -> 'before' and new_names = collected -> 'after' then return null; end if;
        if (select count(*) from jsonb_object_keys(old_names || new_names)) > ${2 * NAMES_MAX} then return null; end if;
        perform set_config('${AUDIT_SETTING}', jsonb_build_object('before', old_names, 'after', new_names)::text, true);
        return null;
      end
      $$`);
}

/** Collects the names of changed fields of tables, in audited transactions only: elsewhere a written row costs one comparison. */
export async function watchChanges(runner: QueryRunner, tables: readonly WatchedTable[]): Promise<void> {
  await createFunctions(runner);
  for (const watched of tables) {
    const events = 'versionsOf' in watched ? 'insert or update' : 'insert or update or delete';
    await runner.query(`
      create or replace trigger audit_change after ${events} on ${watched.table} for each row
        when (current_setting('${AUDIT_SETTING}', true) <> '') execute function audit_change(${argumentsOf(watched).map(quoted).join(', ')})`);
  }
}

/** Undoes `watchChanges`. */
export async function unwatchChanges(runner: QueryRunner, tables: readonly WatchedTable[]): Promise<void> {
  for (const { table } of tables) await runner.query(`drop trigger if exists audit_change on ${table}`);
  await runner.query('drop function if exists audit_change()');
  await runner.query('drop function if exists audit_fields(jsonb, text[])');
}

function argumentsOf(watched: WatchedTable): string[] {
  if ('rows' in watched) return ['rows', watched.rows, ...(watched.by === undefined ? [] : [watched.by])];
  const ignored = `{${[...IGNORED, ...(watched.ignored ?? [])].join(',')}}`;
  if (!('versionsOf' in watched)) return ['fields', ignored];
  const isOfResource = ['workspace_id', ...watched.versionsOf].map((column) => `earlier.${column} = ($1).${column}`).join(' and ');
  return ['versions', ignored, isOfResource];
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
