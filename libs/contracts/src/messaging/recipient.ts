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
  @OptionalTenantId tenant_id?: string | null;
}

/** Excludes users who are not members of the tenant `value`. */
export class RecipientFilter {
  @IsIn(['MEMBER_OF']) operator: 'MEMBER_OF';

  /** The older name of a tenant's id. */
  @IsIn(['account_id']) path: 'account_id';

  @TenantId value: string;
}

/**
 * The recipient of a message: a user (`user_id`, or an address alone), a list, a pattern of lists, an audience, or the members of a
 * tenant (`tenant_id` alone). Undeclared fields are profile data of the user, for this send.
 */
export class Recipient extends InlineAddresses {
  @OptionalUserId user_id?: string | null;

  @OptionalTextOf(100) locale?: string | null;

  @OptionalListId list_id?: string | null;

  @OptionalListId list_pattern?: string | null;

  @Optional(AudienceId) audience_id?: string | null;

  /** With another kind of recipient: the same as `context.tenant_id`. */
  @OptionalTenantId tenant_id?: string | null;

  /** The older name of `tenant_id`. */
  @OptionalTenantId account_id?: string | null;

  /** For a tenant: whether to include the members of the tenants below it. */
  @OptionalFlag include_children?: boolean | null;

  /** Context to use instead of the message's. */
  @OptionalFits(MessageContext) context?: MessageContext | null;

  /** Variables of this recipient, merged over those of the message. */
  @OptionalObject data?: Record<string, unknown> | null;

  /** They win over all other preferences. */
  @OptionalFits(RecipientPreferences) preferences?: RecipientPreferences | null;

  /** For a list, a pattern or an audience: users must match all of them. */
  @Optional(IsArray(), ArrayMaxSize(20), Fits(RecipientFilter, { each: true }))
  filters?: RecipientFilter[] | null;
}
