import { byKey } from '@tidings/persistence/by-key';
import { type Statement, statement } from '@tidings/persistence/database';

/** Owners (pairs of workspace and lane) that one poll visits at most. */
const OWNERS_MAX = 5_000;

/** Statements of a table with the columns `workspace_id`, `lane`, `due_at`: two that claim due rows, and one that reads when the next is due. */
export interface DueStatements {
  /** The name of the queue, in metrics and between processes. */
  readonly queue: string;
  readonly oldest: Statement;
  readonly roundRobin: Statement;
  readonly nextDue: Statement;
}

interface DueTable {
  readonly table: string;
  /** The columns that `claiming` needs of due rows, without `workspace_id` and `lane`. */
  readonly columns: string;
  /** A condition on `rows`; `skipped` is the parameter of rows to be skipped. */
  condition(skipped: string): string;
}

// SQL because due rows are claimed with skip locked, in an order that is fair to their owners.
/**
 * The statements of a queue; `name` begins their names. `claiming` completes a CTE `due` to a statement that claims its rows for `$2` ms and
 * returns them in the order of their owners: the round-robin continues after the owner of the last row. Due rows are locked, skipping those
 * that other processes have locked. A subquery evaluates the time once, so an index on `due_at` is read only up to it: rows due later cost nothing, however many.
 *
 * - `oldest`: the rows due longest, up to `$1`. Fair as long as these are all due rows.
 * - `roundRobin`: up to `$5` rows of each owner after the owner (`$3`, `$4`), without the owners in `$6`: however many rows of one owner are
 *   due, the next owners get theirs. Owners are visited one by one, in their order, until there are enough rows; an `order by` would make
 *   PostgreSQL read all of them, and lock their rows, first.
 */
export function dueStatements(name: string, { table, columns, condition }: DueTable, claiming: (due: string) => string): DueStatements {
  const selected = `rows.workspace_id, rows.lane, ${columns}`;
  return {
    queue: name,
    oldest: statement(
      `${name}_oldest`,
      claiming(`due as (
      select ${selected} from ${table} rows
      where due_at <= (select clock_timestamp()) and ${condition('$3')}
      order by due_at limit $1 for update skip locked
    )`),
    ),
    roundRobin: statement(
      `${name}_round_robin`,
      claiming(`recursive owners as (
      select first.workspace_id, first.lane, 1 as step from (
        select workspace_id, lane from ${table} where (workspace_id, lane) > ($3::uuid, $4::smallint) order by workspace_id, lane limit 1
      ) first
      union all
      select next.workspace_id, next.lane, owners.step + 1 from owners cross join lateral (
        select workspace_id, lane from ${table} where (workspace_id, lane) > (owners.workspace_id, owners.lane) order by workspace_id, lane limit 1
      ) next
      where owners.step < ${OWNERS_MAX}
    ), due as (
      select owned.* from owners cross join lateral (
        select ${selected} from ${table} rows
        where rows.workspace_id = owners.workspace_id and rows.lane = owners.lane and due_at <= (select clock_timestamp()) and ${condition('$7')}
        order by due_at limit $5 for update skip locked
      ) owned
      where owners.workspace_id || ':' || owners.lane <> all($6::text[])
      limit $1
    )`),
    ),
    nextDue: statement(
      `${name}_next_due`,
      `select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms from ${table} rows where ${condition('$1')}`,
    ),
  };
}

/**
 * Statements of a table whose claims have generations, in its column `turn`. In `claimed_generation` a claim notes its own: every later write
 * of the row advances `turn`, so the two are equal where the lease ended before the work.
 */
export interface ClaimStatements extends DueStatements {
  /** Renews the leases of claims (`$1`) for `$2` ms. */
  readonly renew: Statement;
}

interface ClaimTable {
  readonly table: string;
  /** The column of a row's id, a `uuid`. */
  readonly key: string;
  /** Columns of a claimed row beside `workspace_id`, `lane`, the id and its generation. */
  readonly columns: readonly string[];
  /** A condition on `rows`. Default: every row. */
  readonly condition?: string;
  /** Completes the CTE `claimed` to a statement that returns its rows ordered by `workspace_id, lane`. Default: the claimed rows. */
  readonly select?: string;
}

/** The statements of a queue whose claims have generations: a claim advances the generation, and later writes of an earlier claim miss. */
export function claimStatements(name: string, { table, key, columns, condition = 'true', select }: ClaimTable): ClaimStatements {
  const returned = ['workspace_id', 'lane', key, 'turn as generation', ...columns].map((column) => `${table}.${column}`).join(', ');
  const found = `rows.${key}, coalesce(rows.claimed_generation = rows.turn, false) as orphaned,
        (extract(epoch from clock_timestamp() - rows.due_at) * 1000)::float8 as late_ms`;
  const claiming = (due: string) => `with ${due}, claimed as (
     update ${table} set turn = ${table}.turn + 1, claimed_generation = ${table}.turn + 1,
            due_at = clock_timestamp() + $2 * interval '1 millisecond'
     from due where ${table}.${key} = due.${key}
     returning ${returned}, due.orphaned, due.late_ms
   )
   ${select ?? 'select * from claimed order by workspace_id, lane'}`;
  return {
    ...dueStatements(name, { table, columns: found, condition: () => condition }, claiming),
    // Rows locked by the storing of a step are skipped: they need no lease any more.
    renew: statement(
      `${name}_renew`,
      `with owned as (
     select rows.${key} from ${table} rows join json_to_recordset($1::json) as input(id uuid, generation integer)
       on input.id = rows.${key} and input.generation = rows.turn
     where ${byKey('input.id')}
     order by rows.${key} for update of rows skip locked
   )
   update ${table} set due_at = clock_timestamp() + $2 * interval '1 millisecond' from owned where ${table}.${key} = owned.${key}`,
    ),
  };
}
