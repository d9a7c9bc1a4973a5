import { TENANT_LEVELS_MAX } from '@tidings/contracts/identity/tenants';
import type { Queryable } from '@tidings/persistence/database';
import { BRANCH, CHILDREN_AFTER, MOVES, TENANTS_BELOW } from './tenant-walk.rows';

/** A tenant of so many, itself counted, is read whole for each page; below more, as many tenants as a look holds. */
export const FEW_TENANTS_MAX = 2_000;
/** Tenants that one look brings, or looks at. */
const TENANTS_PER_LOOK_MAX = 1_000;
/** After the levels: all tenants below once more, in the order of their ids alone, which no move changes. */
const STAGE_AGAIN = TENANT_LEVELS_MAX;
const LEVELS_BELOW_MAX = TENANT_LEVELS_MAX - 1;

/** A tenant where it is met: on its level below the one that was asked (itself 0), or in `STAGE_AGAIN`. */
export interface MetTenant {
  stage: number;
  tenant_id: string;
}

/** Behind a tenant, or, with `userId`, behind this user in it. */
export interface WalkCursor {
  stage: number;
  tenantId: string;
  userId?: string;
}

/** Every id comes after the empty text. */
export const WALK_BEGINNING: WalkCursor = { stage: 0, tenantId: '' };

/** Some tenants, in order; it may be none. */
export interface Look {
  tenants: MetTenant[];
  /** Where the next look begins; absent at the end. */
  next?: WalkCursor;
}

interface Walk {
  workspaceId: string;
  /** The tenant asked, which exists. */
  tenantId: string;
  /** `MOVES` before the first page. */
  moves: string;
}

/**
 * The tenant asked and those below it from a place on, level by level, by id. Where tenants were moved since the walk began, one
 * may have come from a level ahead to one that was passed: the tenants below then come once more.
 */
export async function* tenantsFrom(db: Queryable, walk: Walk, from: WalkCursor): AsyncGenerator<Look> {
  let at: WalkCursor | undefined = from;
  let many = false;
  while (at) {
    const few: Look | undefined = many ? undefined : await lookAtFew(db, walk, at);
    many = few === undefined;
    const look: Look = few ?? (await lookAtMany(db, walk, at));
    const isPassed: boolean = look.next === undefined && at.stage !== STAGE_AGAIN;
    if (isPassed && (await movesIn(db, walk.workspaceId)) !== walk.moves) look.next = beginningOf(STAGE_AGAIN);
    yield look;
    at = look.next;
  }
}

/** How often tenants of the workspace have been moved. */
export async function movesIn(db: Queryable, workspaceId: string): Promise<string> {
  const [row] = await db.query<{ moves: string }>(MOVES, [workspaceId]);
  return row!.moves;
}

/** Nothing when there are more than a few. */
async function lookAtFew(db: Queryable, { workspaceId, tenantId }: Walk, at: WalkCursor): Promise<Look | undefined> {
  const [branch] = await db.query<{ many: boolean; tenants: MetTenant[] }>(BRANCH, [
    workspaceId,
    tenantId,
    LEVELS_BELOW_MAX,
    FEW_TENANTS_MAX + 1,
    at.stage === STAGE_AGAIN ? STAGE_AGAIN : null,
    at.stage,
    at.tenantId,
    at.userId !== undefined,
    TENANTS_PER_LOOK_MAX,
  ]);
  const { many, tenants } = branch!;
  if (many) return undefined;
  return { tenants, ...(tenants.length === TENANTS_PER_LOOK_MAX && { next: behind(tenants.at(-1)!) }) };
}

/** Takes no longer below a million tenants than below a few thousand. */
async function lookAtMany(db: Queryable, { workspaceId, tenantId }: Walk, at: WalkCursor): Promise<Look> {
  const { stage } = at;
  if (stage === 0) {
    const isPassed = at.tenantId !== '' && at.userId === undefined;
    return { tenants: isPassed ? [] : [{ stage, tenant_id: tenantId }], next: beginningOf(1) };
  }
  const values = [workspaceId, tenantId, at.tenantId, at.userId !== undefined, TENANTS_PER_LOOK_MAX];
  const [seen] =
    stage === 1
      ? await db.query<SeenTenants>(CHILDREN_AFTER, values)
      : await db.query<SeenTenants>(TENANTS_BELOW, [...values, LEVELS_BELOW_MAX, stage === STAGE_AGAIN ? null : stage]);
  const { tenant_ids, last } = seen!;
  const tenants = tenant_ids.map((tenant_id) => ({ stage, tenant_id }));
  if (last !== null) return { tenants, next: { stage, tenantId: last } };
  return stage < LEVELS_BELOW_MAX ? { tenants, next: beginningOf(stage + 1) } : { tenants };
}

interface SeenTenants {
  tenant_ids: string[];
  /** The last that was looked at, where there may be more. */
  last: string | null;
}

function beginningOf(stage: number): WalkCursor {
  return { stage, tenantId: '' };
}

function behind({ stage, tenant_id }: MetTenant): WalkCursor {
  return { stage, tenantId: tenant_id };
}
