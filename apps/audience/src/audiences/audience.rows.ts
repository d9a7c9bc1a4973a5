import type { Audience, AudienceFilter, AudienceLogic, AudienceMember } from '@tidings/contracts/audience/audiences';
import { statement } from '@tidings/persistence/database';

/** An audience as it was put. */
export interface AudienceRow {
  audience_id: string;
  name: string;
  description: string;
  filter: AudienceFilter | null;
  operator: AudienceLogic | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'audience_id, name, description, filter, operator, created_at, updated_at';

/** After the audience of this id; every id comes after the empty text. */
export const PAGE = statement(
  'audiences-page',
  `select ${COLUMNS} from audiences where workspace_id = $1 and audience_id > $2 order by audience_id limit $3`,
);

export const RETRIEVE = statement('audiences-retrieve', `select ${COLUMNS} from audiences where workspace_id = $1 and audience_id = $2`);

export function toAudience({ audience_id, filter, operator, created_at, updated_at, name, description }: AudienceRow): Audience {
  return {
    id: audience_id,
    name,
    description,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    filter,
    ...(operator !== null && { operator }),
  };
}

/** A member of the served version; without user where the audience has none behind the place asked for. */
export interface MemberRow {
  served_version: number | null;
  user_id: string | null;
  reason: string | null;
  added_at: Date | null;
}

type PresentMember = { [Field in keyof MemberRow]: NonNullable<MemberRow[Field]> };

/**
 * Members of the version that is served, after the user of this id: one statement sees one version. A row without user where
 * there is none, no row where there is no such audience.
 */
export const MEMBERS = statement(
  'audience-members-page',
  `select audiences.served_version, member.user_id, member.reason, member.added_at
     from audiences left join lateral (
       select user_id, reason, added_at from audience_members
        where workspace_id = audiences.workspace_id and membership = audiences.served_membership and user_id > $3
        order by user_id limit $4) as member on true
    where audiences.workspace_id = $1 and audiences.audience_id = $2 order by member.user_id`,
);

export function isPresent(row: MemberRow): row is PresentMember {
  return row.user_id !== null;
}

export function toMember(audienceId: string): (row: PresentMember) => AudienceMember {
  return ({ user_id, served_version, reason, added_at }) => ({
    added_at: added_at.toISOString(),
    audience_id: audienceId,
    audience_version: served_version,
    member_id: user_id,
    reason,
  });
}
