import { Module } from '@nestjs/common';
import { audienceMembers, type AudienceMembersPage, type MembersOfAudience } from '@tidings/contracts/audience/audience-members';
import {
  type ListMember,
  listMembers,
  type ListMembersPage,
  type LoadListMembers,
  type LoadPatternMembers,
} from '@tidings/contracts/audience/list-members';
import type { CallContext } from '@tidings/contracts/core/context';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import {
  type CheckedMemberships,
  type CheckMemberships,
  type LoadTenantMembers,
  type Membership,
  memberships,
  tenantMembers,
  type TenantMembersPage,
} from '@tidings/contracts/identity/tenant-members';
import { Handles } from '@tidings/rpc/handles';

/** State of the fake audience and tenant services: members, whether the services are unavailable, and a hook before each page. */
export class Members {
  /** User ids by list id, in the order of pages, each with the preferences of the subscription. */
  readonly lists = new Map<string, Map<string, RecipientPreferences | undefined>>();
  readonly listPreferences = new Map<string, RecipientPreferences>();
  readonly audiences = new Map<string, string[]>();
  /** Members in the order of pages, with those of the tenants below: a user of several tenants occurs several times. */
  readonly tenants = new Map<string, Membership[]>();
  isUnavailable = false;
  /** Number of requested pages. */
  requestedPages = 0;
  /** Called before each page is answered, with its cursor; a page that could not be stored is requested again. */
  onPage: (cursor: string) => Promise<void> | void = () => undefined;

  subscribe(list: string, users: readonly string[]): void {
    this.lists.set(list, new Map(users.map((user) => [user, undefined])));
  }

  clear(): void {
    for (const members of [this.lists, this.listPreferences, this.audiences, this.tenants]) members.clear();
    this.isUnavailable = false;
    this.requestedPages = 0;
    this.onPage = () => undefined;
  }

  /** A page of the members at the time of its answer; cursors are offsets. */
  async page<Row>(rowsNow: () => readonly Row[], cursor = '0', limit = 1_000): Promise<{ rows: Row[]; next?: string }> {
    this.requestedPages += 1;
    await this.onPage(cursor);
    if (this.isUnavailable) throw new Error('members are unavailable');
    const rows = rowsNow();
    const end = Number(cursor) + limit;
    return { rows: rows.slice(Number(cursor), end), ...(end < rows.length && { next: String(end) }) };
  }
}

@Handles(listMembers)
class ListMembersHandlers {
  constructor(private readonly members: Members) {}

  ofList(_context: CallContext, { list_id, ...paging }: LoadListMembers): Promise<ListMembersPage> {
    return this.pageOf([list_id], paging);
  }

  ofPattern(_context: CallContext, { pattern, ...paging }: LoadPatternMembers): Promise<ListMembersPage> {
    const prefix = pattern.slice(0, pattern.indexOf('*'));
    return this.pageOf([...this.members.lists.keys()].filter((id) => id.startsWith(prefix)).sort(), paging);
  }

  private async pageOf(ids: readonly string[], { cursor, limit }: { cursor?: string; limit?: number }): Promise<ListMembersPage> {
    const { lists, listPreferences } = this.members;
    const membersNow = (): ListMember[] => {
      const byUser = new Map<string, ListMember>();
      for (const list_id of ids.toReversed()) {
        for (const [user_id, preferences] of lists.get(list_id) ?? [])
          byUser.set(user_id, { user_id, list_id, ...(preferences && { preferences }) });
      }
      return [...byUser.values()];
    };
    const { rows, next } = await this.members.page(membersNow, cursor, limit);
    return {
      found: ids.some((id) => lists.has(id)),
      members: rows,
      lists: [...listPreferences].map(([list_id, preferences]) => ({ list_id, preferences })),
      more: next !== undefined,
      ...(next !== undefined && { cursor: next }),
    };
  }
}

@Handles(audienceMembers)
class AudienceMembersHandlers {
  constructor(private readonly members: Members) {}

  async ofAudience(_context: CallContext, { audience_id, after, limit }: MembersOfAudience): Promise<AudienceMembersPage> {
    const { audiences } = this.members;
    const { rows, next } = await this.members.page(() => audiences.get(audience_id) ?? [], after, limit);
    return {
      found: audiences.has(audience_id),
      user_ids: rows,
      ...(next !== undefined && { next }),
    };
  }
}

@Handles(tenantMembers)
class TenantMembersHandlers {
  constructor(private readonly members: Members) {}

  async load(_context: CallContext, { tenant_id, include_children, cursor, limit }: LoadTenantMembers): Promise<TenantMembersPage> {
    const all = this.members.tenants.get(tenant_id);
    const wanted = all?.filter((one) => include_children || one.tenant_id === tenant_id) ?? [];
    const { rows, next } = await this.members.page(() => wanted, cursor, limit);
    return { found: all !== undefined, members: rows, more: next !== undefined, ...(next !== undefined && { cursor: next }) };
  }
}

@Handles(memberships)
class MembershipsHandlers {
  constructor(private readonly members: Members) {}

  async check(_context: CallContext, { memberships: requested }: CheckMemberships): Promise<CheckedMemberships> {
    const { tenants } = this.members;
    return {
      belongs: requested.map(({ user_id, tenant_id }) => tenants.get(tenant_id)?.some((one) => one.user_id === user_id) ?? false),
    };
  }
}

@Module({})
class FakeAudienceModule {}

/** Controllers of the fake identity service that serve members. */
export const identityMembers = [TenantMembersHandlers, MembershipsHandlers];

/** The module of the fake audience service. */
export function fakeAudience(members: Members) {
  return {
    module: FakeAudienceModule,
    controllers: [ListMembersHandlers, AudienceMembersHandlers],
    providers: [{ provide: Members, useValue: members }],
  };
}
