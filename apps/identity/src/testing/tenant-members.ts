import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { type LoadTenantMembers, tenantMembers } from '@tidings/contracts/identity/tenant-members';
import { userTenants } from '@tidings/contracts/identity/user-tenants';
import { contextOf } from '@tidings/testing/context-of';
import { FEW_TENANTS_MAX } from '../tenants/tenant-walk';
import type { RunningIdentity } from './start-identity';
import { buildTenant } from './tenant-builder';

const PAGES_MAX = 1_000;

/** Tenants by the path from the root to each: `a/b` is the tenant b below a. */
export async function buildTree({ call }: RunningIdentity, ...paths: string[]): Promise<CallContext> {
  const context = contextOf(randomUUID());
  for (const path of paths) {
    const [tenant_id, parent_tenant_id] = path.split('/').toReversed();
    await buildTenant(call, context, tenant_id!, { parent_tenant_id });
  }
  return context;
}

/** Makes users members: of the tenant `t` are `of.t`. */
export async function buildMembers({ call }: RunningIdentity, context: CallContext, of: Record<string, readonly string[]>): Promise<void> {
  for (const [tenant_id, users] of Object.entries(of)) {
    for (const user_id of users) await call(userTenants.add, context, { user_id, tenant_id });
  }
}

/** So many tenants without members below one that nobody reads them all for a page; their ids stand between those of others. */
export async function crowd({ sql }: RunningIdentity, { workspaceId }: CallContext, parent_tenant_id: string): Promise<void> {
  await sql(
    `insert into tenants (workspace_id, tenant_id, parent_tenant_id, name)
     select $1, substr(md5(n::text), 1, 8), $2, 'One of the crowd' from generate_series(1, $3) n`,
    [workspaceId, parent_tenant_id, FEW_TENANTS_MAX + 100],
  );
}

/** All members that the pages bring, as `tenant/user`, with `between` done after each page but the last. */
export async function membersOf(
  { call }: RunningIdentity,
  context: CallContext,
  request: Partial<LoadTenantMembers> & { tenant_id: string },
  between: (page: number) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const met: string[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = await call(tenantMembers.load, context, { include_children: true, ...request, cursor });
    met.push(...answer.members.map(({ tenant_id, user_id }) => `${tenant_id}/${user_id}`));
    if (answer.more !== (answer.cursor !== undefined)) throw new Error('A cursor goes with more');
    if (!answer.more) return met;
    ({ cursor } = answer);
    await between(page);
  }
  throw new Error('The pages do not end');
}
