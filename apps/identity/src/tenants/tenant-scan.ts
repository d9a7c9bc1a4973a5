import { TENANT_LEVELS_MAX } from '@tidings/contracts/identity/tenants';
import type { Queryable } from '@tidings/persistence/database';
import { BRANCH, CHILDREN_AFTER, MOVES, TENANTS_BELOW } from './tenant-scan.rows';

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
  tenant_id: string;
}

/** After a tenant, or, with `userId`, after this user in it. */
export interface ScanCursor {
  stage: number;
  tenantId: string;
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
export async function* scanTenants(db: Queryable, scan: TenantScan, from: ScanCursor): AsyncGenerator<TenantBatch> {
  let at: ScanCursor | undefined = from;
  let many = false;
  while (at) {
    const few: TenantBatch | undefined = many ? undefined : await readFew(db, scan, at);
    many = few === undefined;
    const batch: TenantBatch = few ?? (await readMany(db, scan, at));
    const hasScannedLevels: boolean = batch.next === undefined && at.stage !== STAGE_RESCAN;
    if (hasScannedLevels && (await movesIn(db, scan.workspaceId)) !== scan.moves) batch.next = startOf(STAGE_RESCAN);
    yield batch;
    at = batch.next;
  }
}

/** How often tenants of the workspace have been moved. */
export async function movesIn(db: Queryable, workspaceId: string): Promise<string> {
  const [row] = await db.query<{ moves: string }>(MOVES, [workspaceId]);
  return row!.moves;
}

/** `undefined` for more than `FEW_TENANTS_MAX` tenants. */
async function readFew(db: Queryable, { workspaceId, tenantId }: TenantScan, at: ScanCursor): Promise<TenantBatch | undefined> {
  const [branch] = await db.query<{ many: boolean; tenants: ScannedTenant[] }>(BRANCH, [
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
  return { tenants, ...(tenants.length === TENANTS_PER_BATCH_MAX && { next: cursorAfter(tenants.at(-1)!) }) };
}

/** Takes as long below a million tenants as below a few thousand. */
async function readMany(db: Queryable, { workspaceId, tenantId }: TenantScan, at: ScanCursor): Promise<TenantBatch> {
  const { stage } = at;
  if (stage === 0) {
    const isDone = at.tenantId !== '' && at.userId === undefined;
    return { tenants: isDone ? [] : [{ stage, tenant_id: tenantId }], next: startOf(1) };
  }
  const values = [workspaceId, tenantId, at.tenantId, at.userId !== undefined, TENANTS_PER_BATCH_MAX];
  const [row] =
    stage === 1
      ? await db.query<BatchRow>(CHILDREN_AFTER, values)
      : await db.query<BatchRow>(TENANTS_BELOW, [...values, LEVELS_BELOW_MAX, stage === STAGE_RESCAN ? null : stage]);
  const { tenant_ids, last } = row!;
  const tenants = tenant_ids.map((tenant_id) => ({ stage, tenant_id }));
  if (last !== null) return { tenants, next: { stage, tenantId: last } };
  return stage < LEVELS_BELOW_MAX ? { tenants, next: startOf(stage + 1) } : { tenants };
}

interface BatchRow {
  tenant_ids: string[];
  /** The last tenant read, where more may follow. */
  last: string | null;
}

const startOf = (stage: number): ScanCursor => ({ stage, tenantId: '' });

const cursorAfter = ({ stage, tenant_id }: ScannedTenant): ScanCursor => ({ stage, tenantId: tenant_id });
