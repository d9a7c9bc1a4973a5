import { OptionalListId } from '../audience/list-ids';
import { OptionalObject, Text } from '../core/fields';
import { OptionalFits } from '../core/fits';
import { RecipientPreferences } from '../core/preferences';
import { OptionalUserId, type ProfileFields } from '../identity/profiles';
import { InlineAddresses } from './inline-addresses';
import { OptionalBrandName, OptionalTemplateName } from './send-limits';

/** The common fields of sends of older clients. */
class LegacyFields {
  /** A template's id or alias, or an event mapped to one. Required without `message`. */
  @OptionalTemplateName event?: string | null;

  @OptionalObject data?: Record<string, unknown> | null;

  /** Id of a brand to use instead of the template's. */
  @OptionalBrandName brand?: string | null;

  /** Overrides by provider; under `channel` by channel; `brand` for the appearance of e-mails. */
  @OptionalObject override?: Record<string, unknown> | null;

  @OptionalFits(RecipientPreferences) preferences?: RecipientPreferences | null;
}

/** A send of older clients. */
export class LegacySend extends LegacyFields {
  /** Id of the user. Required without `message`. */
  @OptionalUserId recipient?: string | null;

  @OptionalFits(InlineAddresses) profile?: ProfileFields | null;
}

/** A send of older clients to the subscribers of a list, or of all lists of a pattern. */
export class LegacyListSend extends LegacyFields {
  @OptionalListId list?: string | null;

  @OptionalListId pattern?: string | null;
}

export class LegacyListSent {
  @Text messageId: string;

  /** The same id: `GET /messages?traceId=` finds the messages of the request. */
  @Text requestId: string;
}
