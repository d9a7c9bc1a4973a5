import { audienceMembers, MEMBERS_OF_AUDIENCE_MAX, type MembersOfAudience } from '@tidings/contracts/audience/audience-members';
import type { CallContext } from '@tidings/contracts/core/context';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';

// SQL because one statement reads the served version and its members, and TypeORM has no lateral join.
/** Pages are ordered by user: a user who stays a member is returned exactly once, even when the version changes between pages. */
const MEMBERS = statement(
  'audience-members-of-audience',
  `select member.user_id
     from audiences left join lateral (
       select user_id from audience_members
        where workspace_id = audiences.workspace_id and membership = audiences.served_membership and user_id > $3
        order by user_id limit $4) as member on true
    where audiences.workspace_id = $1 and audiences.audience_id = $2 order by member.user_id`,
);

@Handles(audienceMembers)
export class AudienceMembersHandlers {
  constructor(private readonly database: Database) {}

  async ofAudience({ workspaceId }: CallContext, request: MembersOfAudience) {
    const { audience_id, after = '', limit = MEMBERS_OF_AUDIENCE_MAX } = request;
    const rows = await this.database.query<{ user_id: string | null }>(MEMBERS, [workspaceId, audience_id, after, limit]);
    if (rows.length === 0) return { found: false, user_ids: [] };
    const users = rows.flatMap(({ user_id }) => user_id ?? []);
    const last = rows.at(-1)!.user_id;
    return { found: true, user_ids: users, ...(rows.length === limit && last !== null && { next: last }) };
  }
}
