import { IsIn, IsString } from 'class-validator';
import { IsListOf, IsText, OptionalListOf, OptionalObject, OptionalText } from '../core/fields';
import { defineOperation, Nothing } from '../core/operation';
import { LimitedQuery, ListPage } from '../core/paging';
import { TENANTS_PER_USER_MAX } from './events';
import { NamedUser, type ProfileFields } from './profiles';
import { TENANT_ID_LENGTH_MAX, TenantFields } from './tenants';

/** Accounts are tenants under their older name. */
export class NamedAccount {
  @IsText(1, TENANT_ID_LENGTH_MAX) account_id!: string;
}

export class PutAccount extends TenantFields {
  @IsText(1, TENANT_ID_LENGTH_MAX) account_id!: string;

  @OptionalText(1, TENANT_ID_LENGTH_MAX) parent_account_id?: string | null;
}

export class Account extends TenantFields {
  @IsString() id!: string;

  @IsIn(['account']) type!: 'account';

  @OptionalText() parent_account_id?: string | null;
}

export class ListAccounts extends LimitedQuery {
  /** Only the children of this account. */
  @OptionalText(1, TENANT_ID_LENGTH_MAX) parent_account_id?: string;
}

export class AccountPage extends ListPage {
  @IsListOf(() => Account) items!: Account[];
}

export class UserAccountEntry {
  @IsText(1, TENANT_ID_LENGTH_MAX) account_id!: string;

  @OptionalObject() profile?: ProfileFields | null;
}

export class PutUserAccounts extends NamedUser {
  @IsListOf(() => UserAccountEntry, TENANTS_PER_USER_MAX) accounts!: UserAccountEntry[];
}

/** Absent or `null` fields leave the stored values unchanged. */
export class PutUser extends NamedUser {
  @OptionalListOf(() => UserAccountEntry, TENANTS_PER_USER_MAX)
  accounts?: UserAccountEntry[] | null;

  @OptionalObject() profile?: ProfileFields | null;
}

export const accounts = {
  list: defineOperation({
    pattern: 'identity.accounts.list',
    route: 'GET /accounts',
    generation: 'legacy',
    scope: 'read:tenants',
    summary: 'List accounts: tenants under their older name',
    request: ListAccounts,
    response: AccountPage,
  }),
  retrieve: defineOperation({
    pattern: 'identity.accounts.retrieve',
    route: 'GET /accounts/:account_id',
    generation: 'legacy',
    scope: 'read:tenants',
    summary: 'Get an account',
    request: NamedAccount,
    response: Account,
  }),
  replace: defineOperation({
    pattern: 'identity.accounts.replace',
    command: true,
    route: 'PUT /accounts/:account_id',
    generation: 'legacy',
    scope: 'write:tenants',
    summary: 'Replace an account, or create it',
    request: PutAccount,
    response: Account,
  }),
  remove: defineOperation({
    pattern: 'identity.accounts.remove',
    command: true,
    route: 'DELETE /accounts/:account_id',
    generation: 'legacy',
    status: 204,
    scope: 'write:tenants',
    summary: 'Delete an account',
    request: NamedAccount,
    response: Nothing,
    mayConflict: true,
  }),
  setUser: defineOperation({
    pattern: 'identity.accounts.setUser',
    command: true,
    route: 'PUT /users/:user_id',
    generation: 'legacy',
    status: 204,
    scope: 'write:profiles',
    ofUser: 'user_id',
    summary: 'Replace the profile of a user, and add the user to accounts',
    request: PutUser,
    response: Nothing,
  }),
  setUserAccounts: defineOperation({
    pattern: 'identity.accounts.setUserAccounts',
    command: true,
    route: 'PUT /users/:user_id/accounts',
    generation: 'legacy',
    status: 204,
    scope: 'write:user-tenants',
    ofUser: 'user_id',
    summary: 'Add a user to accounts: to all of them, or to none',
    request: PutUserAccounts,
    response: Nothing,
    bareArray: 'accounts',
  }),
};
