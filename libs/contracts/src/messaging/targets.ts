import type { RecipientPreferences } from '../core/preferences';
import type { ProfileFields } from '../identity/profiles';
import type { RecipientFilter } from './recipient';

/** Preferences in a send, which win over stored ones: by id or alias of a notification, and by topic or category id. */
export type RuntimePreferences = RecipientPreferences;

/** Includes only members of the tenant `value`. */
export type MembershipFilter = RecipientFilter;

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

/** Several users. */
interface GroupFields extends TargetFields {
  filters?: MembershipFilter[];
}

/** The subscribers of a list. */
interface ListTarget extends GroupFields {
  kind: 'list';
  listId: string;
}

/** The subscribers of every list whose id matches the pattern, each once. */
interface PatternTarget extends GroupFields {
  kind: 'pattern';
  pattern: string;
}

/** The members of an audience. */
interface AudienceTarget extends GroupFields {
  kind: 'audience';
  audienceId: string;
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
