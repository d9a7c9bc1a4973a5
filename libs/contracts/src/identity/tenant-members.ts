import { Flag, IsListOf, OptionalLimit, OptionalTextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CURSOR_LENGTH_MAX } from '../core/paging';
import { UserId } from './profiles';
import { NamedTenant, TenantId } from './tenants';

export const TENANT_MEMBERS_PAGE_MAX = 1_000;
export const MEMBERSHIPS_CHECKED_MAX = 1_000;

/** The cursor contains a tenant id and a user id, each up to `CURSOR_LENGTH_MAX` long. */
const MEMBERS_CURSOR_LENGTH_MAX = 2 * CURSOR_LENGTH_MAX + 1;

export class LoadTenantMembers extends NamedTenant {
  /** Whether to include the members of all tenants below this one, at any depth. */
  @Flag include_children: boolean;

  /** The end of the previous page; opaque. Valid only for the same tenant and `include_children`. */
  @OptionalTextOf(MEMBERS_CURSOR_LENGTH_MAX) cursor?: string;

  /** Maximum members of a page. Default `TENANT_MEMBERS_PAGE_MAX`. */
  @OptionalLimit(TENANT_MEMBERS_PAGE_MAX) limit?: number;
}

/** A user in a tenant. */
export class Membership {
  @UserId user_id: string;

  @TenantId tenant_id: string;
}

export class TenantMembersPage {
  /** Whether the tenant exists. If not, it has no members, though users may be associated with its id. */
  found: boolean;

  /**
   * The tenant's own members first, then those of the tenants one level below, and so on; on each level by tenant id, then by
   * user id. A page may have fewer members than requested, even none, and not be the last.
   */
  members: Membership[];

  more: boolean;

  /** Cursor of the next page; present if `more`. */
  cursor?: string;
}

export class CheckMemberships {
  @IsListOf(Membership, MEMBERSHIPS_CHECKED_MAX) memberships: Membership[];
}

export class CheckedMemberships {
  /** In the order requested. An association counts only if its tenant exists. */
  belongs: boolean[];
}

/**
 * The members of a tenant, for sends. The pages contain every user who belongs, from the first page to the last, to the tenant or to
 * a tenant that stays below it, even if tenants are created, moved or deleted meanwhile. A user of several tenants occurs once per
 * tenant, the nearest first; if tenants were moved between pages, members may occur again at the end.
 */
export const tenantMembers = defineOperations('identity.tenantMembers', 'internal', {
  load: {
    summary: 'Page the members of a tenant, and of the tenants below it',
    request: LoadTenantMembers,
    response: TenantMembersPage,
    repeatable: true,
  },
});

/** Checks whether users belong to tenants, for the filters of a send. */
export const memberships = defineOperations('identity.memberships', 'internal', {
  check: {
    summary: 'Check whether each of up to 1,000 users belongs to a tenant',
    request: CheckMemberships,
    response: CheckedMemberships,
    repeatable: true,
  },
});
