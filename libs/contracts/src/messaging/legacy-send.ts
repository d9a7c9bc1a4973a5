import { OptionalListId } from '../audience/list-ids';
import { OptionalObject, Text } from '../core/fields';
import { OptionalFits } from '../core/fits';
import { RecipientPreferences } from '../core/preferences';
import { OptionalUserId, type ProfileFields } from '../identity/profiles';
import { InlineAddresses } from './inline-addresses';
import { OptionalBrandName, OptionalTemplateName } from './send-limits';

/** The common fields of sends of older clients. */
class LegacyFields {
  /** Template with the content: its id, its alias, or an event mapped to it. Required without `message`. @example "order-shipped" */
  @OptionalTemplateName event?: string | null;

  /** Variables of the content. @example { "order": "A-17" } */
  @OptionalObject data?: Record<string, unknown> | null;

  /** Brand of the message, instead of the template's. @example "acme" */
  @OptionalBrandName brand?: string | null;

  /** Settings by provider; in `channel` by channel; in `brand` the appearance of e-mails. @example { "smtp": { "timeouts": 60000 } } */
  @OptionalObject override?: Record<string, unknown> | null;

  /** Preferences for this message; they win over all others, except `REQUIRED`. */
  @OptionalFits(RecipientPreferences) preferences?: RecipientPreferences | null;
}

/** A send of older clients. */
export class LegacySend extends LegacyFields {
  /** Id of the user. Required without `message`. @example "ada" */
  @OptionalUserId recipient?: string | null;

  /** Profile fields of the user for this message, merged over the stored profile. @example { "email": "ada@example.com" } */
  @OptionalFits(InlineAddresses) profile?: ProfileFields | null;
}

/** A send of older clients to the subscribers of a list, or of all lists of a pattern. */
export class LegacyListSend extends LegacyFields {
  /** Id of the list whose subscribers get the message. Either this or `pattern`. @example "team.readers" */
  @OptionalListId list?: string | null;

  /** Pattern of list ids: the subscribers of all matching lists get the message. Either this or `list`. @example "team.*" */
  @OptionalListId pattern?: string | null;
}

export class LegacyListSent {
  /** Id of the request. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @Text messageId: string;

  /** The same id; `GET /messages?traceId=` finds the messages of the request. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @Text requestId: string;
}
