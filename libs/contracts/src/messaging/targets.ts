import type { RecipientPreferences } from '../core/preferences';
import type { ProfileFields } from '../identity/profiles';

/** Preferences in a send, which win over stored ones: by notification id, and by topic or category id. */
export type RuntimePreferences = RecipientPreferences;

/** Includes only members of the tenant `value`; `account_id` is the older name of a tenant's id. */
export interface MembershipFilter {
  operator: 'MEMBER_OF';
  path: 'account_id';
  value: string;
}

/** Fields of a single target of a send. */
export interface TargetFields {
  /** Variables of this target, deep-merged over those of the send. */
  data?: Record<string, unknown>;
  preferences?: RuntimePreferences;
  /** The tenant in whose context the message is made. */
  tenantId?: string;
}

/** One user, or one address. */
export interface UserTarget extends TargetFields {
  kind: 'user';
  userId?: string;
  /** The user id, or else the address. */
  recipient: string;
  /** Profile fields of the recipient, merged over the stored profile; `null` removes a field. */
  profile: ProfileFields;
}

/** The subscribers of a list. */
interface ListTarget extends TargetFields {
  kind: 'list';
  listId: string;
  filters?: MembershipFilter[];
}

/** The subscribers of every list whose id matches the pattern, each once. */
interface PatternTarget extends TargetFields {
  kind: 'pattern';
  pattern: string;
  filters?: MembershipFilter[];
}

/** The members of an audience. */
interface AudienceTarget extends TargetFields {
  kind: 'audience';
  audienceId: string;
  filters?: MembershipFilter[];
}

/** The members of a tenant, optionally also of tenants below it; each in the context of the tenant it belongs to. */
interface TenantTarget extends TargetFields {
  kind: 'tenant';
  tenantId: string;
  includeChildren: boolean;
}

/** The users of a bulk job. Only the run of a job makes this target, no send. */
interface JobTarget extends TargetFields {
  kind: 'job';
  jobId: string;
}

/** A target of a send, validated at acceptance. */
export type Target = UserTarget | ListTarget | PatternTarget | AudienceTarget | TenantTarget | JobTarget;

/** The priority of a send: a message never waits for one of a lower lane. */
export const LANES = ['critical', 'normal', 'bulk'] as const;
export type Lane = (typeof LANES)[number];

/** The list that a message was derived from, with its preferences. */
export interface SourceList {
  id: string;
  preferences?: RecipientPreferences;
  /** Preferences of the user's subscription to the list. */
  subscription?: RecipientPreferences;
}
