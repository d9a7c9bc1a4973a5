import { IsListOf, OptionalObject } from '../core/fields';
import { defineOperations } from '../core/operation';
import { LimitedQuery } from '../core/paging';
import { TENANTS_PER_USER_MAX } from './events';
import { NamedUser, type ProfileFields, UserId } from './profiles';
import { TenantAssociation, TenantAssociationPage, TenantId } from './tenants';

/** Size of a user's profile in one tenant, as JSON. */
export const MEMBER_PROFILE_BYTES_MAX = 256 * 1024;

export class ListUserTenants extends LimitedQuery {
  @UserId user_id: string;
}

export class NamedUserTenant extends NamedUser {
  @TenantId tenant_id: string;
}

export class PutUserTenant extends NamedUserTenant {
  /** Merged with the user's own profile in sends in this tenant; replaces the stored one. */
  @OptionalObject profile?: ProfileFields | null;
}

export class UserTenantEntry {
  @TenantId tenant_id: string;

  @OptionalObject profile?: ProfileFields | null;
}

export class PutUserTenants extends NamedUser {
  /** The last entry of a tenant counts. Other tenants of the user stay unchanged. */
  @IsListOf(UserTenantEntry, TENANTS_PER_USER_MAX) tenants: UserTenantEntry[];
}

export const userTenants = defineOperations(
  'identity.user-tenants',
  'user-tenants',
  {
    list: {
      route: 'GET /users/:user_id/tenants',
      summary: 'List the tenants of a user, by id',
      request: ListUserTenants,
      response: TenantAssociationPage,
    },
    retrieve: {
      route: 'GET /users/:user_id/tenants/:tenant_id',
      generation: 'specification',
      summary: "Get a user's profile in a tenant",
      request: NamedUserTenant,
      response: TenantAssociation,
    },
    addMany: {
      command: true,
      route: 'PUT /users/:user_id/tenants',
      summary: 'Add a user to several tenants: to all of them, or to none',
      request: PutUserTenants,
    },
    add: {
      command: true,
      route: 'PUT /users/:user_id/tenants/:tenant_id',
      summary: 'Add a user to a tenant',
      request: PutUserTenant,
    },
    removeAll: {
      command: true,
      route: 'DELETE /users/:user_id/tenants',
      summary: 'Remove a user from all tenants',
      request: NamedUser,
    },
    remove: {
      command: true,
      route: 'DELETE /users/:user_id/tenants/:tenant_id',
      summary: 'Remove a user from a tenant',
      request: NamedUserTenant,
    },
  },
  { ofUser: 'user_id' },
);
