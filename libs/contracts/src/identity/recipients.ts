import { ArrayUnique } from 'class-validator';
import { IsListOf, Optional, OptionalFlag, SomeOf, Uuid } from '../core/fields';
import { defineOperations } from '../core/operation';
import type { ChannelClass } from '../core/channels';
import { type PreferenceStatus, type RecipientPreferences, TopicId } from '../core/preferences';
import { OptionalUserId, type ProfileFields } from './profiles';
import { OptionalTenantId } from './tenants';
import type { Choice } from './user-preferences';
import type { PushProviderKey, PushTokenStatus, TokenDevice } from './user-tokens';

export const RECIPIENTS_MAX = 1_000;

/** Size of one answer, in characters of JSON; the recipient that exceeds it is still included. */
export const RECIPIENTS_CHARS_MAX = 4 * 1024 * 1024;

/**
 * Optional parts beside the profiles. `tokens`: the usable push tokens. `tenant`: the tenant context.
 * `preferences`: all preferences that identity stores about the message.
 */
export const RECIPIENT_PARTS = ['tokens', 'tenant', 'preferences'] as const;
export type RecipientPart = (typeof RECIPIENT_PARTS)[number];

/** A user of a workspace, or a bare address; an internal call may span many workspaces. */
export class RecipientKey {
  @Uuid workspace_id: string;

  /** Absent for a bare address, which has no stored data: the answer has only its context and topic. */
  @OptionalUserId user_id?: string;

  /** The tenant in whose context the message is sent. Default: the user's tenant, if there is exactly one. */
  @OptionalTenantId tenant_id?: string;

  /** The topic of the message. Without it no choice of a topic is loaded. */
  @Optional(TopicId) topic_id?: string;
}

export class LoadRecipients {
  @IsListOf(RecipientKey, RECIPIENTS_MAX) recipients: RecipientKey[];

  /** The parts of the answer. */
  @Optional(SomeOf(RECIPIENT_PARTS))
  @ArrayUnique()
  with?: RecipientPart[];

  /** Nothing is stored for users without a profile. */
  @OptionalFlag only_reads?: boolean;
}

/** A usable push token. */
export interface UsableToken {
  token: string;
  provider_key: PushProviderKey;
  status: Exclude<PushTokenStatus, 'revoked'>;
  device: TokenDevice | null;
  /** Sent to the push service with the token. */
  properties: unknown;
}

/** A user's choice for a topic. If the topic was deleted, the choice has no effect. */
export interface StoredChoice {
  topic_id: string;
  /** `null`: counts in every context. */
  tenant_id: string | null;
  /** `null` if only channels were chosen. */
  status: Choice | null;
  /** True only if `custom_routing` names a channel. */
  has_custom_routing: boolean;
  custom_routing: ChannelClass[];
}

/** The data of a user for a send. For a bare address: an empty profile, and with `tenant` the named context. */
export interface LoadedRecipient {
  profile: ProfileFields;

  /** With `tokens`: the latest registered first; absent for a bare address. */
  tokens?: UsableToken[];

  /** With `tenant`: the context of the message; absent without one. It may name a tenant that does not exist. */
  tenant_id?: string;

  /** With `tenant`: the user's profile in that tenant; absent if the user does not belong to it. */
  member_profile?: ProfileFields;

  /** With `preferences`: the user's choices for the topic, general and by tenant; absent for a bare address. */
  choices?: StoredChoice[];

  /** With `preferences`: the preferences in the map form; absent if none are stored. */
  preferences?: RecipientPreferences;
}

/** The data for a send of a tenant, or of one of its ancestors. */
export interface ChainTenant {
  tenant_id: string;
  name: string;
  brand_id: string | null;
  properties: Record<string, unknown> | null;
  user_profile: ProfileFields | null;
}

/** The default of a tenant, or of one of its ancestors, for a topic; it counts for members without a choice. */
export interface TenantDefault {
  tenant_id: string;
  topic_id: string;
  status: PreferenceStatus;
  has_custom_routing: boolean;
  custom_routing: ChannelClass[];
}

/** A tenant that is the context of one or more of the recipients. */
export interface LoadedTenant {
  workspace_id: string;

  tenant_id: string;

  /** From the root down to the tenant itself. */
  chain: ChainTenant[];

  /** With `preferences`: defaults of the topics requested in this tenant, those of the nearest tenant first. */
  defaults: TenantDefault[];
}

/** The data of a topic for routing decisions. */
export interface LoadedTopic {
  workspace_id: string;

  topic_id: string;

  name: string;

  default_status: PreferenceStatus;

  include_unsubscribe_header: boolean;

  section_id: string;

  section_name: string;
}

export class LoadedRecipients {
  /**
   * In the order requested; a user without profile gets an empty one, which is stored unless `only_reads` (a bare address does not). A large answer
   * ends early: it then has the first of the requested recipients, at least one, and the caller requests the rest.
   */
  recipients: LoadedRecipient[];

  /** The existing context tenants of these recipients, each once. */
  tenants: LoadedTenant[];

  /** With `preferences`: the existing topics of these recipients, each once. */
  topics: LoadedTopic[];
}

export const recipients = defineOperations('identity.recipients', 'internal', {
  load: {
    summary: 'Load the data of up to 1,000 recipients for a send, in a constant number of statements',
    request: LoadRecipients,
    response: LoadedRecipients,
    repeatable: true,
  },
});
