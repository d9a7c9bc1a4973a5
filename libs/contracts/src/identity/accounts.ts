import { IsIn } from 'class-validator';
import { IsListOf, OptionalListOf, OptionalObject, OptionalText, Text } from '../core/fields';
import { FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { LimitedQuery, ListPage } from '../core/paging';
import { TENANTS_PER_USER_MAX } from './events';
import { NamedUser, type ProfileFields } from './profiles';
import { OptionalTenantId, TenantFields, TenantId } from './tenants';

/** Accounts are tenants under their older name. */
export class NamedAccount {
  /** Id of the account, chosen by you: the same as the id of the tenant. @example "acme" */
  @TenantId account_id: string;
}

@FieldsOfAnswer(() => Account)
export class PutAccount extends TenantFields {
  /** Id of the account, chosen by you: the same as the id of the tenant. @example "acme" */
  @TenantId account_id: string;

  /** The account above this one, which must exist; at most 4 levels. Absent or `null`: a root. @example "acme-group" */
  @OptionalTenantId parent_account_id?: string | null;
}

export class Account extends TenantFields {
  /** Id of the account, chosen by you: the same as the id of the tenant. @example "acme" */
  @Text id: string;

  /** Always `account`. */
  @IsIn(['account']) type: 'account';

  /** The account above this one; absent for a root. @example "acme-group" */
  @OptionalText parent_account_id?: string | null;
}

export class ListAccounts extends LimitedQuery {
  /** Only the accounts directly below this one. @example "acme-group" */
  @OptionalTenantId parent_account_id?: string;
}

class AccountPage extends ListPage {
  /** The accounts of this page, by id. */
  @IsListOf(Account) items: Account[];
}

export class UserAccountEntry {
  /** Id of the account, chosen by you; it need not exist yet. @example "acme" */
  @TenantId account_id: string;

  /** The profile of the user in this account alone; absent or `null`: an empty one. @example { "title": "Engineer" } */
  @OptionalObject profile?: ProfileFields | null;
}

export class PutUserAccounts extends NamedUser {
  /** Accounts to add. The last entry of an account counts. Other accounts of the user stay. */
  @IsListOf(UserAccountEntry, TENANTS_PER_USER_MAX) accounts: UserAccountEntry[];
}

/** Absent or `null` fields leave the stored values unchanged. */
export class PutUser extends NamedUser {
  /** Accounts to add to those of the user. Absent or `null`: none. */
  @OptionalListOf(UserAccountEntry, TENANTS_PER_USER_MAX)
  accounts?: UserAccountEntry[] | null;

  /** Replaces the profile of the user. Absent or `null`: it stays. @example { "email": "ada@example.com" } */
  @OptionalObject profile?: ProfileFields | null;
}

export const accounts = defineOperations(
  'identity.accounts',
  'tenants',
  {
    /** As `GET /tenants`, under the older name of tenants. */
    list: {
      route: 'GET /accounts',
      summary: 'List accounts: tenants under their older name',
      request: ListAccounts,
      response: AccountPage,
    },
    /** As `GET /tenants/:tenant_id`. */
    retrieve: {
      route: 'GET /accounts/:account_id',
      summary: 'Get an account',
      request: NamedAccount,
      response: Account,
    },
    /** As `PUT /tenants/:tenant_id`. @example { "name": "Acme", "properties": { "city": "Lyon" } } */
    replace: {
      audit: 'tenant:replaced',
      command: true,
      route: 'PUT /accounts/:account_id',
      summary: 'Replace an account, or create it',
      request: PutAccount,
      response: Account,
    },
    /** As `DELETE /tenants/:tenant_id`. */
    remove: {
      audit: 'tenant:deleted',
      command: true,
      route: 'DELETE /accounts/:account_id',
      summary: 'Delete an account',
      request: NamedAccount,
      mayConflict: true,
    },
    /** Does both, or neither. @example { "profile": { "email": "ada@example.com" }, "accounts": [{ "account_id": "acme" }] } */
    setUser: {
      audit: 'user:profile-changed',
      command: true,
      route: 'PUT /users/:user_id',
      quota: 'profiles',
      scope: 'write:profiles',
      ofUser: 'user_id',
      summary: 'Replace the profile of a user, and add the user to accounts',
      request: PutUser,
    },
    /**
     * As `PUT /users/:user_id/tenants`; the body may be the array itself.
     * @example { "accounts": [{ "account_id": "acme", "profile": { "title": "Engineer" } }] }
     */
    setUserAccounts: {
      audit: 'user:tenants-changed',
      command: true,
      route: 'PUT /users/:user_id/accounts',
      scope: 'write:user-tenants',
      ofUser: 'user_id',
      summary: 'Add a user to accounts: to all of them, or to none',
      request: PutUserAccounts,
      bareArray: 'accounts',
    },
  },
  { generation: 'legacy' },
);
