import { ArrayMaxSize, IsArray, IsIn } from 'class-validator';
import { AudienceId } from '../audience/audiences';
import { OptionalListId } from '../audience/list-ids';
import { Optional, OptionalFlag, OptionalObject, OptionalTextOf } from '../core/fields';
import { Fits, OptionalFits } from '../core/fits';
import { RecipientPreferences } from '../core/preferences';
import { OptionalUserId } from '../identity/profiles';
import { OptionalTenantId, TenantId } from '../identity/tenants';
import { InlineAddresses } from './inline-addresses';

/** The tenant in whose context a message is made: brand, default preferences and profile come from the tenant too. */
export class MessageContext {
  /** Tenant whose brand, default preferences and profile apply. Default: the user's tenant, if there is exactly one. @example "acme" */
  @OptionalTenantId tenant_id?: string | null;
}

/** Excludes users who are not members of the tenant `value`. */
export class RecipientFilter {
  /** Always `MEMBER_OF`: only members of the tenant `value` get the message. */
  @IsIn(['MEMBER_OF']) operator: 'MEMBER_OF';

  /** Always `account_id`, the older name of a tenant's id. */
  @IsIn(['account_id']) path: 'account_id';

  /** Id of the tenant; one that does not exist has no members. @example "acme" */
  @TenantId value: string;
}

/**
 * The recipient of a message: a user (`user_id`, or an address alone), a list, a pattern of lists, an audience, or the members of a
 * tenant (`tenant_id` alone). Undeclared fields are profile data of the user, for this send.
 */
export class Recipient extends InlineAddresses {
  /** Id of the user. Profile, push tokens and preferences stored for it apply; it need not have any. @example "ada" */
  @OptionalUserId user_id?: string | null;

  /** Language of this message. Default: `locale` of the profile. @example "fr_FR" */
  @OptionalTextOf(100) locale?: string | null;

  /** Id of a list: its subscribers get the message. @example "team.readers" */
  @OptionalListId list_id?: string | null;

  /** Pattern of list ids: the subscribers of all matching lists get one message each. @example "team.*" */
  @OptionalListId list_pattern?: string | null;

  /** Id of an audience: its members get the message. @example "architects" */
  @Optional(AudienceId) audience_id?: string | null;

  /** Alone: the members of the tenant get the message. With another kind of recipient: the same as `context.tenant_id`. @example "acme" */
  @OptionalTenantId tenant_id?: string | null;

  /** The older name of `tenant_id`. @example "acme" */
  @OptionalTenantId account_id?: string | null;

  /** With a tenant alone: whether members of the tenants below it get the message too. Default `false`. @example true */
  @OptionalFlag include_children?: boolean | null;

  /** Context of this recipient, instead of the message's. */
  @OptionalFits(MessageContext) context?: MessageContext | null;

  /** Variables of this recipient, merged at every depth over those of the message. @example { "order": "A-17" } */
  @OptionalObject data?: Record<string, unknown> | null;

  /** Preferences for this message; they win over all others, except `REQUIRED`. */
  @OptionalFits(RecipientPreferences) preferences?: RecipientPreferences | null;

  /**
   * For a list, a pattern or an audience: only users who match all of them get the message.
   * @example [{ "operator": "MEMBER_OF", "path": "account_id", "value": "acme" }]
   */
  @Optional(IsArray(), ArrayMaxSize(20), Fits(RecipientFilter, { each: true }))
  filters?: RecipientFilter[] | null;
}
