import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { PAGE_LIMIT_DEFAULT } from '@tidings/contracts/core/paging';
import {
  type ListTenants,
  type ListTenantUsers,
  type NamedTenant,
  type NamedTenantDefault,
  type PutTenant,
  type PutTenantDefault,
  type Tenant,
  TENANT_OBJECT_BYTES_MAX,
  type TenantAssociationPage,
  type TenantPage,
  tenants,
} from '@tidings/contracts/identity/tenants';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, type Queryable, statement, type Transaction } from '@tidings/persistence/database';
import { toListPage, toPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { storableObject } from '@tidings/contracts/core/storable-object';
import { readListCursor } from './read-list-cursor';
import { type MemberRow, MEMBERS_PAGE, toAssociation } from './member.rows';
import { removeDefault, removeDefaults, replaceDefaults, storeDefault, type TenantRef } from './tenant-defaults.store';
import { assertNoChildren, assertParent, countMove, lockTree } from './tenant-tree';
import { EXISTS, PAGE, PAGE_OF_CHILDREN, RETRIEVE, type TenantRow, toTenant } from './tenant.rows';

const PUT = statement(
  'tenants-put',
  `insert into tenants (workspace_id, tenant_id, parent_tenant_id, name, brand_id, properties, user_profile)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (workspace_id, tenant_id) do update set
     parent_tenant_id = excluded.parent_tenant_id, name = excluded.name, brand_id = excluded.brand_id,
     properties = excluded.properties, user_profile = excluded.user_profile, updated_at = now()`,
);
const REMOVE = statement('tenants-remove', 'delete from tenants where workspace_id = $1 and tenant_id = $2');
const LOCK = statement('tenants-lock', 'select tenant_id from tenants where workspace_id = $1 and tenant_id = $2 for update');

@Handles(tenants)
export class TenantsHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
  ) {}

  async list({ workspaceId }: CallContext, request: ListTenants): Promise<TenantPage> {
    const { parent_tenant_id, limit, cursor: given, starting_after, ...rest } = request;
    rest satisfies Record<string, never>;
    const size = limit ?? PAGE_LIMIT_DEFAULT;
    const tag = `tenants ${workspaceId} ${parent_tenant_id ?? ''}`;
    const { cursor, after } = readListCursor(tag, { cursor: given, starting_after });
    const rows = await this.db.query<TenantRow>(
      parent_tenant_id === undefined ? PAGE : PAGE_OF_CHILDREN,
      parent_tenant_id === undefined ? [workspaceId, after, size + 1] : [workspaceId, after, size + 1, parent_tenant_id],
    );
    const page = toPage(rows, { tag, limit: size, cursorOf: ({ tenant_id }) => [tenant_id], toItem: toTenant });
    return toListPage(page, { path: '/tenants', query: { limit, parent_tenant_id }, cursor });
  }

  async retrieve({ workspaceId }: CallContext, { tenant_id, ...rest }: NamedTenant): Promise<Tenant> {
    rest satisfies Record<string, never>;
    return readTenant(this.db, workspaceId, tenant_id);
  }

  /** @param parentField what the caller calls `parent_tenant_id`. */
  async replace(context: CallContext, request: PutTenant, parentField = 'parent_tenant_id'): Promise<Tenant> {
    const { tenant_id, parent_tenant_id, name, brand_id, properties, user_profile, default_preferences, ...rest } = request;
    rest satisfies Record<string, never>;
    const stored = [objectText('properties', properties), objectText('user_profile', user_profile)];
    const { workspaceId } = context;
    const tenant = { workspaceId, tenantId: tenant_id };
    return this.calls.once(context, async (tx) => {
      if (parent_tenant_id) {
        await lockTree(tx, workspaceId);
        await assertParent(tx, workspaceId, { tenantId: tenant_id, parentId: parent_tenant_id, parentField });
        await countMove(tx, workspaceId, { tenantId: tenant_id, parentId: parent_tenant_id });
      }
      await tx.execute(PUT, [workspaceId, tenant_id, parent_tenant_id ?? null, name, brand_id ?? null, ...stored]);
      if (default_preferences === null) await removeDefaults(tx, tenant);
      else if (default_preferences) await replaceDefaults(tx, tenant, default_preferences.items ?? []);
      return readTenant(tx, workspaceId, tenant_id);
    });
  }

  /** Associations with the id stay: they count again once a tenant with that id is created. */
  async remove(context: CallContext, { tenant_id, ...rest }: NamedTenant): Promise<void> {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      await lockTree(tx, workspaceId);
      await assertNoChildren(tx, workspaceId, tenant_id);
      if ((await tx.execute(REMOVE, [workspaceId, tenant_id])) === 0) throw noTenant(tenant_id);
      await removeDefaults(tx, { workspaceId, tenantId: tenant_id });
    });
  }

  async users({ workspaceId }: CallContext, request: ListTenantUsers): Promise<TenantAssociationPage> {
    const { tenant_id, limit, cursor: given, starting_after, ...rest } = request;
    rest satisfies Record<string, never>;
    const size = limit ?? PAGE_LIMIT_DEFAULT;
    const tag = `tenant-users ${workspaceId} ${tenant_id}`;
    const { cursor, after } = readListCursor(tag, { cursor: given, starting_after });
    const [[tenant], rows] = await Promise.all([
      this.db.query(EXISTS, [workspaceId, tenant_id]),
      this.db.query<MemberRow>(MEMBERS_PAGE, [workspaceId, tenant_id, after, size + 1]),
    ]);
    if (!tenant) throw noTenant(tenant_id);
    const page = toPage(rows, { tag, limit: size, cursorOf: ({ user_id }) => [user_id], toItem: toAssociation });
    return toListPage(page, { path: `/tenants/${encodeURIComponent(tenant_id)}/users`, query: { limit }, cursor });
  }

  async replaceDefault(context: CallContext, request: PutTenantDefault): Promise<void> {
    const { tenant_id, topic_id, status, custom_routing, has_custom_routing, ...rest } = request;
    rest satisfies Record<string, never>;
    await this.changeDefaults(context, tenant_id, (tx, tenant) =>
      storeDefault(tx, tenant, topic_id, { status, custom_routing, has_custom_routing }),
    );
  }

  async removeDefault(context: CallContext, { tenant_id, topic_id, ...rest }: NamedTenantDefault): Promise<void> {
    rest satisfies Record<string, never>;
    await this.changeDefaults(context, tenant_id, async (tx, tenant) => {
      if ((await removeDefault(tx, tenant, topic_id)) > 0) return;
      throw new ServiceError('not_found', `Tenant ${tenant_id} has no default preference for topic ${topic_id}`);
    });
  }

  /** Runs `change` with the tenant's row locked. */
  private async changeDefaults(
    context: CallContext,
    tenantId: string,
    change: (tx: Transaction, tenant: TenantRef) => Promise<void>,
  ): Promise<void> {
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      const [tenant] = await tx.query(LOCK, [workspaceId, tenantId]);
      if (!tenant) throw noTenant(tenantId);
      await change(tx, { workspaceId, tenantId });
    });
  }
}

async function readTenant(from: Queryable, workspaceId: string, tenantId: string): Promise<Tenant> {
  const [row] = await from.query<TenantRow>(RETRIEVE, [workspaceId, tenantId]);
  if (!row) throw noTenant(tenantId);
  return toTenant(row);
}

function noTenant(tenantId: string): ServiceError {
  return new ServiceError('not_found', `Tenant ${tenantId} does not exist`);
}

function objectText(name: string, value: Record<string, unknown> | null | undefined): string | null {
  return value === null || value === undefined ? null : storableObject(name, value, TENANT_OBJECT_BYTES_MAX);
}
