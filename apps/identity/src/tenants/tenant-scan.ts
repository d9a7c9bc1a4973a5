import { TENANT_LEVELS_MAX } from '@tidings/contracts/identity/tenants';
import { type Queryable, statement } from '@tidings/persistence/database';

// SQL because a fan-out scans trees of any size in batches.
/** How often tenants of the workspace have been moved. */
const MOVES = statement('tenant-scan-moves', 'select coalesce((select moves from tenant_moves where workspace_id = $1), 0)::text as moves');

/**
 * A tenant ($2) and those below it, down to `$3` levels, if they are fewer than `$4`: from the cursor ($6, $7) on, `$8`: whether
 * the cursor's tenant is included, at most `$9`. Stages are the levels; or all are `$5`, then without the tenant itself. The
 * recursion goes level by level and stops at the limit.
 */
const BRANCH = statement(
  'tenant-scan-branch',
  `with recursive branch as (
     select $2::text collate "C" as tenant_id, 0 as level
     union all
     select child.tenant_id, branch.level + 1
       from branch cross join lateral (
         select below.tenant_id from tenants below
          where below.workspace_id = $1 and below.parent_tenant_id = branch.tenant_id limit $4) child
      where branch.level < $3
   ), found as materialized (
     select tenant_id, level from branch limit $4
   ), size as materialized (
     select count(*) = $4 as many from found
   )
   select many, coalesce((
            select jsonb_agg(jsonb_build_object('stage', stage, 'tenantId', tenant_id) order by stage, tenant_id)
              from (select stage, tenant_id
                      from (select coalesce($5::int, level) as stage, tenant_id from found where level > 0 or $5::int is null) staged
                     where not many and (stage, tenant_id) >= ($6::int, $7::text)
                       and ((stage, tenant_id) > ($6::int, $7::text) or $8::boolean)
                     order by stage, tenant_id limit $9) page), '[]') as tenants
     from size`,
);

/** Children of a tenant ($2) from the id $3 on, `$4`: whether that id is included, at most `$5`. */
const CHILDREN_AFTER = statement(
  'tenant-scan-children',
  `with batch as materialized (
     select tenant_id from tenants
      where workspace_id = $1 and parent_tenant_id = $2 and tenant_id >= $3 and (tenant_id > $3 or $4::boolean)
      order by tenant_id limit $5
   )
   select array(select tenant_id from batch order by tenant_id) as tenant_ids,
          (select max(tenant_id) from batch having count(*) = $5) as last`,
);

/**
 * Reads `$5` tenants of the workspace from the id $3 on, `$4`: whether that id is included, and returns those below the tenant $2:
 * on the level `$7`, or on any of `$6`. Each chain of parents costs one primary key lookup for each level.
 */
const TENANTS_BELOW = statement(
  'tenant-scan-tenants-below',
  `with recursive batch as materialized (
     select tenant_id, parent_tenant_id from tenants
      where workspace_id = $1 and tenant_id >= $3 and (tenant_id > $3 or $4::boolean)
      order by tenant_id limit $5
   ), chain as (
     select tenant_id, parent_tenant_id as above_id, 1 as level from batch where parent_tenant_id is not null
     union all
     select chain.tenant_id,
            (select above.parent_tenant_id from tenants above
              where above.workspace_id = $1 and above.tenant_id = chain.above_id), chain.level + 1
       from chain where chain.above_id <> $2 and chain.level < $6
   )
   select array(select tenant_id from chain where above_id = $2 and level = coalesce($7::int, level) order by tenant_id) as tenant_ids,
          (select max(tenant_id) from batch having count(*) = $5) as last`,
);

/** Up to this many tenants, the scanned one included, are read in one statement; more are read batch by batch. */
export const FEW_TENANTS_MAX = 2_000;
/** Tenants that one batch returns, or reads. */
const TENANTS_PER_BATCH_MAX = 1_000;
/** After the levels: all tenants below once more, by id, an order that no move changes. */
const STAGE_RESCAN = TENANT_LEVELS_MAX;
const LEVELS_BELOW_MAX = TENANT_LEVELS_MAX - 1;

/** A tenant and its stage: its level below the scanned tenant (itself 0), or `STAGE_RESCAN`. */
export interface ScannedTenant {
  stage: number;
  tenantId: string;
}

/** After a tenant, or, with `userId`, after this user in it. */
export interface ScanCursor extends ScannedTenant {
  userId?: string;
}

/** Every id comes after the empty text. */
export const SCAN_START: ScanCursor = { stage: 0, tenantId: '' };

/** Tenants in scan order; may be empty. */
export interface TenantBatch {
  tenants: ScannedTenant[];
  /** The cursor of the next batch; absent at the end. */
  next?: ScanCursor;
}

interface TenantScan {
  workspaceId: string;
  /** The scanned tenant; it must exist. */
  tenantId: string;
  /** `MOVES` before the first page. */
  moves: string;
}

/**
 * The scanned tenant and those below it from a cursor on, level by level, by id. If tenants were moved since the scan started, one
 * may have come from a later level to a finished one: then all tenants below are returned once more.
 */
export async function* scanTenants(database: Queryable, scan: TenantScan, from: ScanCursor): AsyncGenerator<TenantBatch> {
  let at: ScanCursor | undefined = from;
  let many = false;
  while (at) {
    const few: TenantBatch | undefined = many ? undefined : await readFew(database, scan, at);
    many = few === undefined;
    const batch: TenantBatch = few ?? (await readMany(database, scan, at));
    const hasScannedLevels: boolean = batch.next === undefined && at.stage !== STAGE_RESCAN;
    if (hasScannedLevels && (await movesIn(database, scan.workspaceId)) !== scan.moves) batch.next = startOf(STAGE_RESCAN);
    yield batch;
    at = batch.next;
  }
}

/** How often tenants of the workspace have been moved. */
export async function movesIn(database: Queryable, workspaceId: string) {
  const [row] = await database.query<{ moves: string }>(MOVES, [workspaceId]);
  return row!.moves;
}

/** `undefined` for more than `FEW_TENANTS_MAX` tenants. */
async function readFew(database: Queryable, { workspaceId, tenantId }: TenantScan, at: ScanCursor) {
  const [branch] = await database.query<{ many: boolean; tenants: ScannedTenant[] }>(BRANCH, [
    workspaceId,
    tenantId,
    LEVELS_BELOW_MAX,
    FEW_TENANTS_MAX + 1,
    at.stage === STAGE_RESCAN ? STAGE_RESCAN : null,
    at.stage,
    at.tenantId,
    at.userId !== undefined,
    TENANTS_PER_BATCH_MAX,
  ]);
  const { many, tenants } = branch!;
  if (many) return undefined;
  return { tenants, ...(tenants.length === TENANTS_PER_BATCH_MAX && { next: tenants.at(-1) }) };
}

/** Takes as long below a million tenants as below a few thousand. */
async function readMany(database: Queryable, { workspaceId, tenantId }: TenantScan, at: ScanCursor) {
  const { stage } = at;
  if (stage === 0) {
    const isDone = at.tenantId !== '' && at.userId === undefined;
    return { tenants: isDone ? [] : [{ stage, tenantId }], next: startOf(1) };
  }
  const values = [workspaceId, tenantId, at.tenantId, at.userId !== undefined, TENANTS_PER_BATCH_MAX];
  const [row] =
    stage === 1
      ? await database.query<BatchRow>(CHILDREN_AFTER, values)
      : await database.query<BatchRow>(TENANTS_BELOW, [...values, LEVELS_BELOW_MAX, stage === STAGE_RESCAN ? null : stage]);
  const { tenant_ids, last } = row!;
  const tenants = tenant_ids.map((id) => ({ stage, tenantId: id }));
  if (last !== null) return { tenants, next: { stage, tenantId: last } };
  return stage < LEVELS_BELOW_MAX ? { tenants, next: startOf(stage + 1) } : { tenants };
}

interface BatchRow {
  tenant_ids: string[];
  /** The last tenant read, where more may follow. */
  last: string | null;
}

const startOf = (stage: number) => ({ stage, tenantId: '' });
