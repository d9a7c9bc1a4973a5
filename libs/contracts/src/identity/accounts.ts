import { IsIn } from 'class-validator';
import { IsListOf, OptionalListOf, OptionalObject, OptionalText, Text } from '../core/fields';
import { defineOperations } from '../core/operation';
import { LimitedQuery, ListPage } from '../core/paging';
import { TENANTS_PER_USER_MAX } from './events';
import { NamedUser, type ProfileFields } from './profiles';
import { OptionalTenantId, TenantFields, TenantId } from './tenants';

/** Accounts are tenants under their older name. */
export class NamedAccount {
  @TenantId account_id: string;
}

export class PutAccount extends TenantFields {
  @TenantId account_id: string;

  @OptionalTenantId parent_account_id?: string | null;
}

export class Account extends TenantFields {
  @Text id: string;

  @IsIn(['account']) type: 'account';

  @OptionalText parent_account_id?: string | null;
}

export class ListAccounts extends LimitedQuery {
  /** Only the children of this account. */
  @OptionalTenantId parent_account_id?: string;
}

class AccountPage extends ListPage {
  @IsListOf(Account) items: Account[];
}

export class UserAccountEntry {
  @TenantId account_id: string;

  @OptionalObject profile?: ProfileFields | null;
}

export class PutUserAccounts extends NamedUser {
  @IsListOf(UserAccountEntry, TENANTS_PER_USER_MAX) accounts: UserAccountEntry[];
}

/** Absent or `null` fields leave the stored values unchanged. */
export class PutUser extends NamedUser {
  @OptionalListOf(UserAccountEntry, TENANTS_PER_USER_MAX)
  accounts?: UserAccountEntry[] | null;

  @OptionalObject profile?: ProfileFields | null;
}

export const accounts = defineOperations(
  'identity.accounts',
  'tenants',
  {
    list: {
      route: 'GET /accounts',
      summary: 'List accounts: tenants under their older name',
      request: ListAccounts,
      response: AccountPage,
    },
    retrieve: {
      route: 'GET /accounts/:account_id',
      summary: 'Get an account',
      request: NamedAccount,
      response: Account,
    },
    replace: {
      command: true,
      route: 'PUT /accounts/:account_id',
      summary: 'Replace an account, or create it',
      request: PutAccount,
      response: Account,
    },
    remove: {
      command: true,
      route: 'DELETE /accounts/:account_id',
      summary: 'Delete an account',
      request: NamedAccount,
      mayConflict: true,
    },
    setUser: {
      command: true,
      route: 'PUT /users/:user_id',
      scope: 'write:profiles',
      ofUser: 'user_id',
      summary: 'Replace the profile of a user, and add the user to accounts',
      request: PutUser,
    },
    setUserAccounts: {
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
