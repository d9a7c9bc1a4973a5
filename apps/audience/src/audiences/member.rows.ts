import type { AudienceMember } from '@tidings/contracts/audience/audiences';
import { statement } from '@tidings/persistence/database';

type PresentMember = Omit<AudienceMember, 'added_at'> & { added_at: Date };

/** A member of the served version; without user where the audience has none after the cursor. */
export type MemberRow = PresentMember | { member_id: null };

/**
 * Members of the served version after the user $3; one statement reads one version. A row without user where there are none, no
 * row where the audience does not exist: TypeORM has no lateral join. $1 workspace, $2 audience, $4 limit.
 */
export const MEMBERS = statement(
  'audience-members-page',
  `select audiences.audience_id, served_version as audience_version, member.user_id as member_id, member.reason, member.added_at
     from audiences left join lateral (
       select user_id, reason, added_at from audience_members
        where workspace_id = audiences.workspace_id and membership = audiences.served_membership and user_id > $3
        order by user_id limit $4) as member on true
    where audiences.workspace_id = $1 and audiences.audience_id = $2 order by member.user_id`,
);

export const toMember = ({ added_at, ...row }: PresentMember): AudienceMember => ({ added_at: added_at.toISOString(), ...row });
