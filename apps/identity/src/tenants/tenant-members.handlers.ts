import type { CallContext } from '@tidings/contracts/core/context';
import { assertStorable } from '@tidings/contracts/core/text';
import {
  type LoadTenantMembers,
  type Membership,
  TENANT_MEMBERS_PAGE_MAX,
  tenantMembers,
  type TenantMembersPage,
} from '@tidings/contracts/identity/tenant-members';
import { Database } from '@tidings/persistence/database';
import { decodeCursor, encodeCursor, toPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { MEMBERS_OF_TENANTS } from './member.rows';
import { EXISTS } from './tenant.rows';
import { type Look, type MetTenant, movesIn, tenantsFrom, WALK_BEGINNING, type WalkCursor } from './tenant-walk';

/** Looks of one page, also where they find nobody. */
const LOOKS_PER_PAGE_MAX = 10;

const NOBODY: TenantMembersPage = { found: false, members: [], more: false };
/** No part of an encoded cursor. */
const CURSOR_SEPARATOR = '.';

/** A member, and where it was met. */
interface MetMember extends MetTenant {
  user_id: string;
}

@Handles(tenantMembers)
export class TenantMembersHandlers {
  constructor(private readonly db: Database) {}

  async load({ workspaceId }: CallContext, request: LoadTenantMembers): Promise<TenantMembersPage> {
    const { tenant_id, include_children, cursor, limit = TENANT_MEMBERS_PAGE_MAX, ...rest } = request;
    rest satisfies Record<string, never>;
    assertStorable(tenant_id, 'tenant_id');
    const tag = `members-of-tenant ${workspaceId} ${include_children} ${tenant_id}`;
    // Before anything is read of the tree: what is moved from now on is noticed.
    const { at, moves } = cursor === undefined ? { at: WALK_BEGINNING, moves: await movesIn(this.db, workspaceId) } : placeOf(tag, cursor);
    if ((await this.db.query(EXISTS, [workspaceId, tenant_id])).length === 0) return NOBODY;

    const looks = include_children
      ? tenantsFrom(this.db, { workspaceId, tenantId: tenant_id, moves }, at)
      : [{ tenants: [{ stage: 0, tenant_id }] }];
    const { rows, next } = await this.membersOf(workspaceId, looks, { at, limit: limit + 1 });
    const page = toPage(rows, {
      tag,
      limit,
      cursorOf: ({ user_id }) => [user_id],
      toItem: ({ user_id, tenant_id }): Membership => ({ user_id, tenant_id }),
    });
    const last = page.more ? placeOfMember(rows[page.rows.length - 1]!) : next;
    return {
      found: true,
      members: page.rows,
      more: last !== undefined,
      ...(last && { cursor: cursorOf(tag, last, moves) }),
    };
  }

  /** The next `limit` members. With fewer, `next` is where to go on; absent at the end. */
  private async membersOf(
    workspaceId: string,
    looks: AsyncIterable<Look> | Iterable<Look>,
    { at, limit }: { at: WalkCursor; limit: number },
  ): Promise<{ rows: MetMember[]; next?: WalkCursor }> {
    const rows: MetMember[] = [];
    let looked = 0;
    for await (const { tenants, next } of looks) {
      rows.push(...(await this.membersOfTenants(workspaceId, tenants, at, limit - rows.length)));
      looked += 1;
      if (rows.length === limit || !next) break;
      if (looked === LOOKS_PER_PAGE_MAX) return { rows, next };
    }
    return { rows };
  }

  private async membersOfTenants(workspaceId: string, tenants: readonly MetTenant[], at: WalkCursor, limit: number): Promise<MetMember[]> {
    const [first] = tenants;
    if (!first) return [];
    const isInside = first.stage === at.stage && first.tenant_id === at.tenantId;
    const found = await this.db.query<{ place: number; user_id: string }>(MEMBERS_OF_TENANTS, [
      workspaceId,
      tenants.map(({ tenant_id }) => tenant_id),
      isInside ? (at.userId ?? '') : '',
      limit,
    ]);
    return found.map(({ place, user_id }) => ({ ...tenants[place - 1]!, user_id }));
  }
}

function placeOfMember({ stage, tenant_id, user_id }: MetMember): WalkCursor {
  return { stage, tenantId: tenant_id, userId: user_id };
}

/** Two in one: the longest tenant id and the longest user id would not fit into one. */
function cursorOf(tag: string, { stage, tenantId, userId }: WalkCursor, moves: string): string {
  return [encodeCursor(tag, [moves, stage, tenantId]), encodeCursor(tag, [userId ?? null])].join(CURSOR_SEPARATOR);
}

function placeOf(tag: string, cursor: string): { at: WalkCursor; moves: string } {
  const end = cursor.indexOf(CURSOR_SEPARATOR);
  const [ofTenant, ofUser] = end === -1 ? [cursor, ''] : [cursor.slice(0, end), cursor.slice(end + 1)];
  const [moves, stage, tenantId] = decodeCursor(tag, ofTenant, ['bigint', 'integer', 'text']) as [string, number, string];
  const [userId] = decodeCursor(tag, ofUser, ['text?']) as [string | null];
  return { at: { stage, tenantId, ...(userId !== null && { userId }) }, moves };
}
