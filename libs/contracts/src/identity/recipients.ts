import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayUnique, IsArray, IsIn, IsObject, IsOptional, IsString, IsUUID, Length, ValidateNested } from 'class-validator';
import { defineOperation } from '../core/operation';
import { type ChannelClass } from '../core/channels';
import { type PreferenceStatus, type RecipientPreferences, TOPIC_ID_LENGTH_MAX } from '../core/preferences';
import { type ProfileFields, USER_ID_LENGTH_MAX } from './profiles';
import { TENANT_ID_LENGTH_MAX } from './tenants';
import type { Choice } from './user-preferences';
import type { PushProviderKey, PushTokenStatus, TokenDevice } from './user-tokens';

export const RECIPIENTS_MAX = 1_000;

/** Of one answer, in characters of JSON; one recipient more than fits is still answered. */
export const RECIPIENTS_CHARS_MAX = 4 * 1024 * 1024;

/**
 * What may be wanted beside the profiles. `tokens`: the push tokens that may be sent to. `tenant`: the tenant context.
 * `preferences`: everything that identity knows of whether the message is wanted.
 */
export const RECIPIENT_PARTS = ['tokens', 'tenant', 'preferences'] as const;
export type RecipientPart = (typeof RECIPIENT_PARTS)[number];

/** A user of a workspace, or a bare address there; the call is the system's own, over many workspaces at once. */
export class RecipientKey {
  @IsUUID()
  workspace_id!: string;

  /** Absent for a bare address: nothing is stored of it, so that only the context and the topic are answered. */
  @IsOptional()
  @IsString()
  @Length(1, USER_ID_LENGTH_MAX)
  user_id?: string;

  /** In whose context the message is sent. Absent: in that of the user's only tenant, if there is exactly one. */
  @IsOptional()
  @IsString()
  @Length(1, TENANT_ID_LENGTH_MAX)
  tenant_id?: string;

  /** What the message is about. Without it no choice of a topic is loaded. */
  @IsOptional()
  @IsString()
  @Length(1, TOPIC_ID_LENGTH_MAX)
  topic_id?: string;
}

export class LoadRecipients {
  @IsArray()
  @ArrayMaxSize(RECIPIENTS_MAX)
  @ValidateNested({ each: true })
  @Type(() => RecipientKey)
  recipients!: RecipientKey[];

  /** What is not wanted costs nothing. */
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @IsIn(RECIPIENT_PARTS, { each: true })
  with?: RecipientPart[];
}

/** A push token that may be sent to. */
export interface UsableToken {
  token: string;
  provider_key: PushProviderKey;
  status: Exclude<PushTokenStatus, 'revoked'>;
  device: TokenDevice | null;
  /** To be sent to the push service with the token. */
  properties: unknown;
}

/** What a user chose of a topic. The topic may be there no more: then the choice counts for nothing. */
export interface StoredChoice {
  topic_id: string;
  /** `null` for what counts everywhere. */
  tenant_id: string | null;
  /** `null` where only channels were chosen. */
  status: Choice | null;
  /** True only where `custom_routing` names a channel. */
  has_custom_routing: boolean;
  custom_routing: ChannelClass[];
}

/** What a send needs to know of a user. Of a bare address: an empty profile, and with `tenant` the context that was named. */
export class LoadedRecipient {
  @IsObject()
  profile!: ProfileFields;

  /** With `tokens`: the latest registered first; absent of a bare address. */
  @IsOptional()
  @IsArray()
  tokens?: UsableToken[];

  /** With `tenant`: the context of the message; absent where there is none. It may name a tenant that does not exist. */
  @IsOptional()
  @IsString()
  tenant_id?: string;

  /** With `tenant`: the user's profile in that tenant; absent where the user does not belong to it. */
  @IsOptional()
  @IsObject()
  member_profile?: ProfileFields;

  /** With `preferences`: what the user chose of the topic, everywhere and in each tenant; absent of a bare address. */
  @IsOptional()
  @IsArray()
  choices?: StoredChoice[];

  /** With `preferences`: what was said in the map form; absent where nothing was. */
  @IsOptional()
  @IsObject()
  preferences?: RecipientPreferences;
}

/** A tenant, or one above it, as a send needs it. */
export interface ChainTenant {
  tenant_id: string;
  name: string;
  brand_id: string | null;
  properties: Record<string, unknown> | null;
  user_profile: ProfileFields | null;
}

/** What a tenant, or one above it, says of a topic where its members chose nothing. */
export interface TenantDefault {
  tenant_id: string;
  topic_id: string;
  status: PreferenceStatus;
  has_custom_routing: boolean;
  custom_routing: ChannelClass[];
}

/** The context of one or more of the recipients. */
export class LoadedTenant {
  @IsUUID()
  workspace_id!: string;

  @IsString()
  tenant_id!: string;

  /** From the root down to the tenant itself. */
  @IsArray()
  chain!: ChainTenant[];

  /** With `preferences`: of the topics asked in this tenant, the nearest tenant's first. */
  @IsArray()
  defaults!: TenantDefault[];
}

/** A topic as far as it decides. */
export class LoadedTopic {
  @IsUUID()
  workspace_id!: string;

  @IsString()
  topic_id!: string;

  @IsString()
  name!: string;

  @IsString()
  default_status!: PreferenceStatus;

  include_unsubscribe_header!: boolean;

  @IsString()
  section_id!: string;

  @IsString()
  section_name!: string;
}

export class LoadedRecipients {
  /**
   * In the order asked; a user without profile gets an empty one, which is stored (a bare address does not). What is large ends
   * the answer early: it is then a beginning of what was asked, at least one, and the caller asks again for the rest.
   */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => LoadedRecipient)
  recipients!: LoadedRecipient[];

  /** The tenants in whose context these recipients are, as far as they exist; each once. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => LoadedTenant)
  tenants!: LoadedTenant[];

  /** With `preferences`: the topics of these recipients, as far as they exist; each once. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => LoadedTopic)
  topics!: LoadedTopic[];
}

export const recipients = {
  load: defineOperation({
    pattern: 'identity.recipients.load',
    scope: 'internal',
    summary: 'Everything a send needs to know of up to 1,000 recipients, in a constant number of statements',
    request: LoadRecipients,
    response: LoadedRecipients,
    repeatable: true,
  }),
};
