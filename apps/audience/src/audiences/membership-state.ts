import { type Queryable, statement } from '@tidings/persistence/database';
import { AUDIENCES_PER_WORKSPACE_MAX } from './audience-limits';
import { type Filter, ruleOf } from './filter/filter';

/** The members of one version of an audience, and the rule that selects them. */
export interface Membership {
  /** Number of the membership's rows in decimal digits; never reused. */
  id: string;
  version: number;
  rule: Filter | null;
}

/** Which memberships of an audience are written when a person changes. */
export interface AudienceState {
  audienceId: string;
  /** The membership that readers get. */
  served?: Membership;
  /** The version that replaces `served` once all people are evaluated. */
  building?: Membership;
  /** While the differences to the previous version are published: the last user, by id, whose difference is published. */
  announcedUpTo?: string;
}

interface StateRow {
  audience_id: string;
  served_version: number | null;
  served_membership: string | null;
  served_rule: string | null;
  phase: 'building' | 'announcing' | null;
  version: number | null;
  membership: string | null;
  rule: string | null;
  checkpoint: string | null;
}

// SQL because every change of people reads it, joined with the rebuilds, a queue without an entity.
const STATES = statement(
  'audiences-states',
  `select audiences.audience_id, served_version, served_membership, served_rule::text as served_rule,
          rebuilds.phase, rebuilds.version, rebuilds.membership, rebuilds.rule::text as rule, rebuilds.checkpoint
     from audiences left join audience_rebuilds as rebuilds using (workspace_id, audience_id)
    where audiences.workspace_id = $1 order by audiences.audience_id limit $2`,
);

/** The audiences of a workspace. Under the workspace's shared lock they stay so until the transaction ends. */
export async function statesOf(from: Queryable, workspaceId: string) {
  return (await from.query<StateRow>(STATES, [workspaceId, AUDIENCES_PER_WORKSPACE_MAX])).map(toState);
}

function toState(row: StateRow): AudienceState {
  return {
    audienceId: row.audience_id,
    ...(row.served_membership !== null && { served: toMembership(row.served_membership, row.served_version!, row.served_rule) }),
    ...(row.phase === 'building' && { building: toMembership(row.membership!, row.version!, row.rule) }),
    ...(row.phase === 'announcing' && { announcedUpTo: row.checkpoint! }),
  };
}

const toMembership = (id: string, version: number, rule: string | null) => ({ id, version, rule: ruleOf(rule) });
