import { conflict, invalid } from '@tidings/contracts/core/refusals';
import { TENANT_LEVELS_MAX } from '@tidings/contracts/identity/tenants';
import { advisoryLock } from '@tidings/persistence/advisory';
import { statement, type Transaction } from '@tidings/persistence/database';
import type { EntityManager } from 'typeorm';
import { WITH_CHAIN } from '../tenant-chain';
import { TenantEntity } from './tenant.entity';

// SQL because chains and levels are recursive, and moves are counted in the database.
const CHAIN = statement('tenant-tree-chain', `${WITH_CHAIN} select tenant_id from chain order by level`);

/**
 * Whether a tenant exists one, two, three levels below; each subquery ends at the first match. The limits drop nothing: they make
 * each tenant one index lookup, where a join would read the whole table.
 */
const LEVELS_BELOW = statement(
  'tenant-tree-levels-below',
  `select case when not exists (select from tenants a where a.workspace_id = $1 and a.parent_tenant_id = $2) then 0
          when not exists (select from tenants a where a.workspace_id = $1 and a.parent_tenant_id = $2
                   and (select true from tenants b where b.workspace_id = $1 and b.parent_tenant_id = a.tenant_id limit 1)) then 1
          when not exists (select from tenants a where a.workspace_id = $1 and a.parent_tenant_id = $2
                   and (select true from tenants b where b.workspace_id = $1 and b.parent_tenant_id = a.tenant_id
                         and (select true from tenants c where c.workspace_id = $1 and c.parent_tenant_id = b.tenant_id limit 1)
                         limit 1)) then 2 else 3 end as levels`,
);

const CHILDREN_SHOWN_MAX = 3;

const COUNT_MOVE = statement(
  'tenant-tree-count-move',
  `insert into tenant_moves as counted (workspace_id, moves)
   select workspace_id, 1 from tenants where workspace_id = $1 and tenant_id = $2 and parent_tenant_id <> $3
   on conflict (workspace_id) do update set moves = counted.moves + 1`,
);

/**
 * Locks the workspace's tree until the transaction ends, before a tenant gets a parent or is removed: two concurrent changes could
 * otherwise make a circle, or too many levels, that neither makes alone.
 */
export const lockTree = advisoryLock('tenant-tree', 'identity');

/**
 * Under `lockTree`. Throws `invalid_request` when the parent does not exist, when it is the tenant or a descendant of it, or when
 * the branch would have more than `TENANT_LEVELS_MAX` levels; the message shows the chain, and calls the parent's field `parentField`.
 */
export async function assertParent(
  tx: Transaction,
  workspaceId: string,
  { tenantId, parentId, parentField }: { tenantId: string; parentId: string; parentField: string },
) {
  const chainAbove = await tx.query<{ tenant_id: string }>(CHAIN, [workspaceId, parentId, TENANT_LEVELS_MAX]);
  const above = chainAbove.map(({ tenant_id }) => tenant_id);
  const at = parentId === tenantId ? 0 : above.indexOf(tenantId);
  if (at >= 0) {
    const circle = [tenantId, ...above.slice(0, at), tenantId].join(' → ');
    throw invalid(`${parentField} ${parentId} would make a circle: ${circle}`);
  }
  if (above.length === 0) throw invalid(`${parentField} ${parentId} does not exist: create it first`);
  const [found] = await tx.query<{ levels: number }>(LEVELS_BELOW, [workspaceId, tenantId]);
  const below = found!.levels;
  const levels = above.length + 1 + below;
  if (levels <= TENANT_LEVELS_MAX) return;
  const chain = [...above.toReversed(), tenantId].join(' → ');
  throw invalid(
    `${parentField} ${parentId} would make ${levels} levels of tenants, at most ${TENANT_LEVELS_MAX} are allowed: ${chain}` +
      (below > 0 ? ` → ${below} ${below === 1 ? 'level' : 'levels'} below it` : ''),
  );
}

/**
 * Under `lockTree`, before the tenant is stored: counts a move from one parent to another, for scans of the tree in several
 * steps. A tenant that had no parent, or gets none, was not in the tree during the whole scan and needs no count.
 */
export async function countMove(tx: Transaction, workspaceId: string, tenantId: string, parentId: string) {
  await tx.execute(COUNT_MOVE, [workspaceId, tenantId, parentId]);
}

/** Under `lockTree`. Throws `conflict` when the tenant has children. */
export async function assertNoChildren(tx: EntityManager, workspaceId: string, tenantId: string) {
  const rows = await tx.find(TenantEntity, {
    select: { id: true },
    where: { workspaceId, parentId: tenantId },
    order: { id: 'ASC' },
    take: CHILDREN_SHOWN_MAX + 1,
  });
  if (rows.length === 0) return;
  const shown = rows.slice(0, CHILDREN_SHOWN_MAX).map(({ id }) => id);
  throw conflict(
    `Tenant ${tenantId} has children (${shown.join(', ')}${rows.length > shown.length ? ', …' : ''}): delete them or give them another parent first`,
  );
}
