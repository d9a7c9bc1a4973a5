import { IsListOf, OptionalObject } from '../core/fields';
import { FieldsOfAnswer } from '../core/known-fields';
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

@FieldsOfAnswer(() => TenantAssociation)
export class PutUserTenant extends NamedUserTenant {
  /**
   * The profile of the user in this tenant alone; sends in the context of the tenant merge it over the user's own. It replaces the stored
   * one; absent or `null`: an empty one.
   * @example { "title": "Engineer" }
   */
  @OptionalObject profile?: ProfileFields | null;
}

@FieldsOfAnswer(() => TenantAssociation)
export class UserTenantEntry {
  @TenantId tenant_id: string;

  /** As `profile` of `PUT /users/:user_id/tenants/:tenant_id`. @example { "title": "Engineer" } */
  @OptionalObject profile?: ProfileFields | null;
}

export class PutUserTenants extends NamedUser {
  /** Tenants to add; they need not exist yet. The last entry of a tenant counts. Other tenants of the user stay. */
  @IsListOf(UserTenantEntry, TENANTS_PER_USER_MAX) tenants: UserTenantEntry[];
}

export const userTenants = defineOperations(
  'identity.user-tenants',
  'user-tenants',
  {
    /** Includes tenants that do not exist yet, or no longer. */
    list: {
      route: 'GET /users/:user_id/tenants',
      summary: 'List the tenants of a user, by id',
      request: ListUserTenants,
      response: TenantAssociationPage,
    },
    /** Answers 404 if the user does not belong to the tenant. */
    retrieve: {
      route: 'GET /users/:user_id/tenants/:tenant_id',
      generation: 'specification',
      summary: "Get a user's profile in a tenant",
      request: NamedUserTenant,
      response: TenantAssociation,
    },
    /**
     * Stores all of the memberships, or none. A user has at most 1,000.
     * @example { "tenants": [{ "tenant_id": "acme", "profile": { "title": "Engineer" } }] }
     */
    addMany: {
      audit: 'user:tenants-changed',
      command: true,
      route: 'PUT /users/:user_id/tenants',
      summary: 'Add a user to several tenants: to all of them, or to none',
      request: PutUserTenants,
    },
    /** Creates the membership, or replaces its profile. The body may be left out. @example { "profile": { "title": "Engineer" } } */
    add: {
      audit: 'user:tenants-changed',
      command: true,
      route: 'PUT /users/:user_id/tenants/:tenant_id',
      summary: 'Add a user to a tenant',
      request: PutUserTenant,
    },
    /** Also answers 204 if the user belongs to no tenant. */
    removeAll: {
      audit: 'user:tenants-changed',
      command: true,
      route: 'DELETE /users/:user_id/tenants',
      summary: 'Remove a user from all tenants',
      request: NamedUser,
    },
    /** Also answers 204 if the user does not belong to the tenant. */
    remove: {
      audit: 'user:tenants-changed',
      command: true,
      route: 'DELETE /users/:user_id/tenants/:tenant_id',
      summary: 'Remove a user from a tenant',
      request: NamedUserTenant,
    },
  },
  { ofUser: 'user_id' },
);
