import type { EntityManager } from 'typeorm';
import {
  type Account,
  accounts,
  type ListAccounts,
  type NamedAccount,
  type PutAccount,
  type PutUser,
  type PutUserAccounts,
  type UserAccountEntry,
} from '@tidings/contracts/identity/accounts';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { firstNotGranted } from '@tidings/contracts/scopes';
import type { Tenant } from '@tidings/contracts/identity/tenants';
import { Handles } from '@tidings/rpc/handles';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { ProfileStore } from '../profiles/profile-store';
import { Memberships } from './memberships';
import { withOpenProfile } from './tenant.entity';
import { putTenant, TenantsHandlers } from './tenants.handlers';

/** Tenants under their older name; calls go to `TenantsHandlers`. */
@Handles(accounts)
export class AccountsHandlers {
  constructor(
    private readonly tenants: TenantsHandlers,
    private readonly profiles: ProfileStore,
    private readonly secrets: ProfileSecrets,
    private readonly memberships: Memberships,
  ) {}

  async list(context: CallContext, { parent_account_id, ...request }: ListAccounts) {
    const { items, url, next_url, ...page } = await this.tenants.list(context, { ...request, parent_tenant_id: parent_account_id });
    return { ...page, url: renamed(url), next_url: next_url && renamed(next_url), items: items.map(toAccount) };
  }

  async retrieve(context: CallContext, { account_id }: NamedAccount) {
    return toAccount(await this.tenants.retrieve(context, { tenant_id: account_id }));
  }

  async replace({ workspaceId }: CallContext, request: PutAccount, tx: EntityManager) {
    const { account_id, parent_account_id, ...fields } = request;
    const tenant = { ...fields, tenant_id: account_id, parent_tenant_id: parent_account_id };
    return toAccount(await putTenant(tx, workspaceId, tenant, 'parent_account_id', this.secrets));
  }

  presentReplace({ workspaceId }: CallContext, recorded: Account) {
    return withOpenProfile(this.secrets, workspaceId, recorded);
  }

  async remove(context: CallContext, { account_id }: NamedAccount, tx: EntityManager) {
    await this.tenants.remove(context, { tenant_id: account_id }, tx);
  }

  /** The profile and the accounts are stored together, or neither. */
  async setUser(context: CallContext, { user_id: userId, accounts: entries, profile, ...rest }: PutUser, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const { workspaceId, scopes } = context;
    const { scope } = accounts.setUserAccounts;
    if (entries?.length && firstNotGranted([scope], scopes)) {
      throw new ServiceError('forbidden', `The credential lacks the scope ${scope}, which accounts need`);
    }
    if (profile) await this.profiles.replace(tx, context, { userId, profile });
    await this.memberships.put(tx, { workspaceId, userId }, toTenants(entries ?? []), 'accounts');
  }

  async setUserAccounts({ workspaceId }: CallContext, request: PutUserAccounts, tx: EntityManager) {
    const { user_id, accounts: entries, ...rest } = request;
    rest satisfies Record<string, never>;
    await this.memberships.put(tx, { workspaceId, userId: user_id }, toTenants(entries), 'accounts');
  }
}

function toTenants(entries: readonly UserAccountEntry[]) {
  return entries.map(({ account_id, profile }) => ({ tenant_id: account_id, profile }));
}

function toAccount({ parent_tenant_id, type: _, ...tenant }: Tenant): Account {
  return { ...tenant, type: 'account', parent_account_id: parent_tenant_id };
}

/** Values in the URL are encoded, so every match is a parameter. */
const renamed = (url: string) => url.replace(/^\/tenants/, '/accounts').replace(/([?&])parent_tenant_id=/, '$1parent_account_id=');
