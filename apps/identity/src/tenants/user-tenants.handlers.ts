import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { PAGE_LIMIT_DEFAULT } from '@tidings/contracts/core/paging';
import type { TenantAssociation, TenantAssociationPage } from '@tidings/contracts/identity/tenants';
import {
  type ListUserTenants,
  type NamedUser,
  type NamedUserTenant,
  type PutUserTenant,
  type PutUserTenants,
  userTenants,
} from '@tidings/contracts/identity/user-tenants';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database } from '@tidings/persistence/database';
import { toListPage, toPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { readListCursor } from './read-list-cursor';
import { ASSOCIATION, type MemberRow, TENANTS_PAGE, toAssociation } from './member.rows';
import { Memberships, storableTenants } from './memberships';

@Handles(userTenants)
export class UserTenantsHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
    private readonly memberships: Memberships,
  ) {}

  async list({ workspaceId }: CallContext, request: ListUserTenants): Promise<TenantAssociationPage> {
    const { user_id, limit, cursor: given, starting_after, ...rest } = request;
    rest satisfies Record<string, never>;
    const size = limit ?? PAGE_LIMIT_DEFAULT;
    const tag = `user-tenants ${workspaceId} ${user_id}`;
    const { cursor, after } = readListCursor(tag, { cursor: given, starting_after });
    const rows = await this.db.query<MemberRow>(TENANTS_PAGE, [workspaceId, user_id, after, size + 1]);
    const page = toPage(rows, { tag, limit: size, cursorOf: ({ tenant_id }) => [tenant_id], toItem: toAssociation });
    return toListPage(page, { path: `/users/${encodeURIComponent(user_id)}/tenants`, query: { limit }, cursor });
  }

  async retrieve({ workspaceId }: CallContext, { user_id, tenant_id, ...rest }: NamedUserTenant): Promise<TenantAssociation> {
    rest satisfies Record<string, never>;
    const [row] = await this.db.query<MemberRow>(ASSOCIATION, [workspaceId, user_id, tenant_id]);
    if (!row) throw new ServiceError('not_found', `User ${user_id} does not belong to tenant ${tenant_id}`);
    return toAssociation(row);
  }

  async addMany(context: CallContext, { user_id, tenants, ...rest }: PutUserTenants): Promise<void> {
    rest satisfies Record<string, never>;
    const stored = storableTenants(tenants, 'tenants');
    await this.calls.once(context, (tx) => this.memberships.put(tx, { workspaceId: context.workspaceId, userId: user_id }, stored));
  }

  /** Replaces the stored profile; without `profile` it becomes empty. */
  async add(context: CallContext, { user_id, tenant_id, profile, ...rest }: PutUserTenant): Promise<void> {
    rest satisfies Record<string, never>;
    await this.addMany(context, { user_id, tenants: [{ tenant_id, profile }] });
  }

  async remove(context: CallContext, { user_id, tenant_id, ...rest }: NamedUserTenant): Promise<void> {
    rest satisfies Record<string, never>;
    const member = { workspaceId: context.workspaceId, userId: user_id };
    await this.calls.once(context, (tx) => this.memberships.remove(tx, member, tenant_id));
  }

  async removeAll(context: CallContext, { user_id, ...rest }: NamedUser): Promise<void> {
    rest satisfies Record<string, never>;
    await this.calls.once(context, async (tx) => {
      await this.memberships.removeAll(tx, { workspaceId: context.workspaceId, userId: user_id });
    });
  }
}
