import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { type LoadTenantMembers, tenantMembers } from '@tidings/contracts/identity/tenant-members';
import { userTenants } from '@tidings/contracts/identity/user-tenants';
import { contextOf } from '@tidings/testing/context-of';
import { FEW_TENANTS_MAX } from '../tenants/tenant-scan';
import type { RunningIdentity } from './start-identity';
import { buildTenant } from './tenant-builder';

const PAGES_MAX = 1_000;

/** Creates tenants by path, in a workspace of their own: `a/b` is the tenant b below a. */
export async function buildTree({ call }: RunningIdentity, ...paths: string[]): Promise<CallContext> {
  const context = contextOf(randomUUID());
  for (const path of paths) {
    const [tenant_id, parent_tenant_id] = path.split('/').toReversed();
    await buildTenant(call, context, tenant_id!, { parent_tenant_id });
  }
  return context;
}

/** Makes the users `of.t` members of the tenant `t`. */
export async function buildMembers({ call }: RunningIdentity, context: CallContext, of: Record<string, readonly string[]>): Promise<void> {
  for (const [tenant_id, users] of Object.entries(of)) {
    for (const user_id of users) await call(userTenants.add, context, { user_id, tenant_id });
  }
}

/** Creates more than `FEW_TENANTS_MAX` tenants without members below one; their ids sort between those of others. */
export async function buildManyTenants({ sql }: RunningIdentity, { workspaceId }: CallContext, parent_tenant_id: string): Promise<void> {
  await sql(
    `insert into tenants (workspace_id, tenant_id, parent_tenant_id, name)
     select $1, substr(md5(n::text), 1, 8), $2, 'One of many' from generate_series(1, $3) n`,
    [workspaceId, parent_tenant_id, FEW_TENANTS_MAX + 100],
  );
}

/** All members of all pages, as `tenant/user`; `between` runs after each page but the last. */
export async function membersOf(
  { call }: RunningIdentity,
  context: CallContext,
  request: Partial<LoadTenantMembers> & { tenant_id: string },
  between: (page: number) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const members: string[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = await call(tenantMembers.load, context, { include_children: true, ...request, cursor });
    members.push(...answer.members.map(({ tenant_id, user_id }) => `${tenant_id}/${user_id}`));
    if (answer.more !== (answer.cursor !== undefined)) throw new Error('A page has a cursor without more, or more without a cursor');
    if (!answer.more) return members;
    ({ cursor } = answer);
    await between(page);
  }
  throw new Error(`The listing does not end within ${PAGES_MAX} pages`);
}
