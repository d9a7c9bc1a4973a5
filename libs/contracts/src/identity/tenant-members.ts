import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineOperation } from '../core/operation';
import { CURSOR_LENGTH_MAX } from '../core/paging';
import { USER_ID_LENGTH_MAX } from './profiles';
import { NamedTenant, TENANT_ID_LENGTH_MAX } from './tenants';

export const TENANT_MEMBERS_PAGE_MAX = 1_000;
export const MEMBERSHIPS_CHECKED_MAX = 1_000;

/** It names a tenant and a user, each as long as a cursor of its own may be. */
const MEMBERS_CURSOR_LENGTH_MAX = 2 * CURSOR_LENGTH_MAX + 1;

export class LoadTenantMembers extends NamedTenant {
  /** Whether the members of every tenant below this one, at any depth, are wanted too. */
  @IsBoolean()
  include_children!: boolean;

  /** Where the page before ended; opaque. Of the same tenant, with the same `include_children`. */
  @IsOptional()
  @IsString()
  @MaxLength(MEMBERS_CURSOR_LENGTH_MAX)
  cursor?: string;

  /** Most members of a page. Default `TENANT_MEMBERS_PAGE_MAX`. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(TENANT_MEMBERS_PAGE_MAX)
  limit?: number;
}

/** That a user belongs to a tenant. */
export class Membership {
  @IsString()
  @Length(1, USER_ID_LENGTH_MAX)
  user_id!: string;

  @IsString()
  @Length(1, TENANT_ID_LENGTH_MAX)
  tenant_id!: string;
}

export class TenantMembersPage {
  /** Whether there is such a tenant now. Without it there are no members, though users may be associated with its id. */
  @IsBoolean()
  found!: boolean;

  /**
   * The tenant's own members first, then those of the tenants one level below it, and so on; on each level by tenant id, then by
   * user id. A page may have fewer than asked, or none, and yet not be the last.
   */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Membership)
  members!: Membership[];

  @IsBoolean()
  more!: boolean;

  /** Of the next page; there when `more` is. */
  @IsOptional()
  @IsString()
  cursor?: string;
}

export class CheckMemberships {
  @IsArray()
  @ArrayMaxSize(MEMBERSHIPS_CHECKED_MAX)
  @ValidateNested({ each: true })
  @Type(() => Membership)
  memberships!: Membership[];
}

export class CheckedMemberships {
  /** In the order asked. An association counts where its tenant exists. */
  @IsArray()
  @IsBoolean({ each: true })
  belongs!: boolean[];
}

/**
 * Who belongs to a tenant, for sends. From the first page to the last, whoever belongs all the while to the tenant, or to one that
 * is below it all the while, is met, however the tenants are created, moved or deleted meanwhile. A user of several tenants comes
 * with each of them, in the nearest first; where tenants were moved between the pages, members may come again at the end.
 */
export const tenantMembers = {
  load: defineOperation({
    pattern: 'identity.tenantMembers.load',
    scope: 'internal',
    summary: 'A page of the members of a tenant, and of the tenants below it',
    request: LoadTenantMembers,
    response: TenantMembersPage,
    repeatable: true,
  }),
};

/** Whether users belong to tenants, for the filters of a send. */
export const memberships = {
  check: defineOperation({
    pattern: 'identity.memberships.check',
    scope: 'internal',
    summary: 'Whether each of up to 1,000 users belongs to a tenant',
    request: CheckMemberships,
    response: CheckedMemberships,
    repeatable: true,
  }),
};
