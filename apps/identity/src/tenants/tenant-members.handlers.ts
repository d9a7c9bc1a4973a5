import { InjectRepository } from '@nestjs/typeorm';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Repository } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import {
  type LoadTenantMembers,
  TENANT_MEMBERS_PAGE_MAX,
  tenantMembers,
  type TenantMembersPage,
} from '@tidings/contracts/identity/tenant-members';
import { Database, statement } from '@tidings/persistence/database';
import { decodeCursor, encodeCursor, toPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { TenantEntity } from './tenant.entity';
import { movesIn, SCAN_START, type ScanCursor, scanTenants, type TenantBatch } from './tenant-scan';

// SQL because a fan-out reads the members of many tenants in one statement.
/**
 * Members of several tenants ($2), by tenant in the order given, then by user; at most `$4` together, of the first tenant only users
 * after $3. Tenants are scanned one by one, so that nothing is read beyond the last member. `ordinal` counts tenants from 1.
 */
const MEMBERS_OF_TENANTS = statement(
  'tenant-members-of-tenants',
  `with recursive scan as (
     select 0 as ordinal, 0 as total, '{}'::text[] collate "C" as user_ids
     union all
     select scan.ordinal + 1, scan.total + cardinality(found.user_ids), found.user_ids
       from scan cross join lateral (
         select array(
           select member.user_id from user_tenants member
            where member.workspace_id = $1 and member.tenant_id = ($2::text[])[scan.ordinal + 1]
              and member.user_id > case scan.ordinal when 0 then $3 else '' end
            order by member.user_id limit $4::int - scan.total) as user_ids
       ) found
      where scan.ordinal < cardinality($2::text[]) and scan.total < $4::int
   )
   select scan.ordinal, member.user_id as "userId"
     from scan cross join lateral unnest(scan.user_ids) with ordinality as member (user_id, nth)
    order by scan.ordinal, member.nth`,
);

/** Batches of tenants that one page reads, also where they have no members. */
const BATCHES_PER_PAGE_MAX = 10;

const NOT_FOUND: TenantMembersPage = { found: false, members: [], more: false };
/** Does not occur in an encoded cursor. */
const CURSOR_SEPARATOR = '.';

@Handles(tenantMembers)
export class TenantMembersHandlers {
  constructor(
    private readonly database: Database,
    @InjectRepository(TenantEntity) private readonly tenants: Repository<TenantEntity>,
  ) {}

  async load({ workspaceId }: CallContext, request: LoadTenantMembers) {
    const { tenant_id, include_children, cursor, limit = TENANT_MEMBERS_PAGE_MAX } = request;
    const tag = `members-of-tenant ${workspaceId} ${include_children} ${tenant_id}`;
    // Read before the tree: every later move is then noticed.
    const { at, moves } =
      cursor === undefined ? { at: SCAN_START, moves: await movesIn(this.database, workspaceId) } : parseCursor(tag, cursor);
    if (!(await this.tenants.existsBy({ workspaceId, id: tenant_id }))) return NOT_FOUND;

    const batches = include_children
      ? scanTenants(this.database, { workspaceId, tenantId: tenant_id, moves }, at)
      : [{ tenants: [{ stage: 0, tenantId: tenant_id }] }];
    const { rows, next } = await this.membersOf(workspaceId, batches, { at, limit: limit + 1 });
    const { paging, items } = toPage(rows, {
      tag,
      limit,
      cursorOf: ({ userId }) => [userId],
      toItem: ({ userId, tenantId }) => ({ user_id: userId, tenant_id: tenantId }),
    });
    const last = paging.more ? rows[items.length - 1] : next;
    return {
      found: true,
      members: items,
      more: last !== undefined,
      cursor: last && cursorOf(tag, last, moves),
    };
  }

  /** The next `limit` members. With fewer, `next` is the cursor of the rest; absent at the end. */
  private async membersOf(
    workspaceId: string,
    batches: AsyncIterable<TenantBatch> | Iterable<TenantBatch>,
    { at, limit }: { at: ScanCursor; limit: number },
  ) {
    const rows: Required<ScanCursor>[] = [];
    let batchesRead = 0;
    for await (const { tenants, next } of batches) {
      const [first] = tenants;
      if (first) {
        const isContinued = first.stage === at.stage && first.tenantId === at.tenantId;
        const found = await this.database.query<{ ordinal: number; userId: string }>(MEMBERS_OF_TENANTS, [
          workspaceId,
          ...columnsOf(tenants, 'tenantId'),
          isContinued ? (at.userId ?? '') : '',
          limit - rows.length,
        ]);
        rows.push(...found.map(({ ordinal, userId }) => ({ ...tenants[ordinal - 1]!, userId })));
      }
      batchesRead += 1;
      if (rows.length === limit || !next) break;
      if (batchesRead === BATCHES_PER_PAGE_MAX) return { rows, next };
    }
    return { rows };
  }
}

/** Two encoded cursors in one: the longest tenant id and the longest user id do not fit into one. */
function cursorOf(tag: string, { stage, tenantId, userId }: ScanCursor, moves: string) {
  return [encodeCursor(tag, [moves, stage, tenantId]), encodeCursor(tag, [userId ?? null])].join(CURSOR_SEPARATOR);
}

function parseCursor(tag: string, cursor: string) {
  const [ofTenant = '', ofUser = ''] = cursor.split(CURSOR_SEPARATOR);
  const [moves, stage, tenantId] = decodeCursor(tag, ofTenant, ['bigint', 'integer', 'text']) as [string, number, string];
  const [userId] = decodeCursor(tag, ofUser, ['text?']) as [string | null];
  return { at: { stage, tenantId, userId: userId ?? undefined }, moves };
}
