import type { RecipientPreferences } from '../core/preferences';
import type { ProfileFields } from '../identity/profiles';

/** Preferences that came with a send and count before everything stored: by notification id, and by topic or category id. */
export type RuntimePreferences = RecipientPreferences;

/** Only users who are members of the tenant `value`; `account_id` is the older name of a tenant's id. */
export interface MembershipFilter {
  operator: 'MEMBER_OF';
  path: 'account_id';
  value: string;
}

/** What a send says for one of its targets alone. */
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
  /** The user id, or the address where there is none. */
  recipient: string;
  /** Fields of the recipient that are profile data, merged over the stored profile; `null` takes a field away. */
  profile: ProfileFields;
}

/** The subscribers of a list. */
interface ListTarget extends TargetFields {
  kind: 'list';
  listId: string;
  filters?: MembershipFilter[];
}

/** The subscribers of every list whose id the pattern stands for, each once. */
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

/** The members of a tenant, and of those below it where they are asked for; each in the context of the tenant it is a member of. */
interface TenantTarget extends TargetFields {
  kind: 'tenant';
  tenantId: string;
  includeChildren: boolean;
}

/** The users that were added to a bulk job. No send can name it: the run of a job does. */
interface JobTarget extends TargetFields {
  kind: 'job';
  jobId: string;
}

/** Whom a send, or a part of it, goes to. It was found valid when it was accepted. */
export type Target = UserTarget | ListTarget | PatternTarget | AudienceTarget | TenantTarget | JobTarget;

/** How urgent a send is: nobody waits behind what is less urgent. */
export const LANES = ['critical', 'normal', 'bulk'] as const;
export type Lane = (typeof LANES)[number];

/** The list a message was derived from, and what was preferred there. */
export interface SourceList {
  id: string;
  preferences?: RecipientPreferences;
  /** Of the user's subscription to the list. */
  subscription?: RecipientPreferences;
}
