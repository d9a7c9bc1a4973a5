import { declaredFields, fieldsOfEach, type KnownFields, namedFields } from '../core/known-fields';
import type { Dto } from '../core/operation';
import { PreferenceDetails } from '../core/preferences';
import { namesUser } from './accept-recipient';
import { MessageContext, Recipient, RecipientFilter } from './recipient';
import { Utm } from './utm';

const METADATA = namedFields('utm', { utm: declaredFields(Utm) });
const TIMEOUT = namedFields('message channel provider criteria escalation');
const CHANNEL_TIMEOUTS = namedFields('channel provider');
const PROVIDER_TIMEOUTS = namedFields('provider');

/** Nodes of a routing, and the longer form of its channels. */
const ROUTING_FIELDS = new Map<string, KnownFields | null>([
  ...namedFields('method channel config if').fields,
  ['providers', namedFields('name config if metadata', { metadata: METADATA })],
]);
const ROUTING: KnownFields = { fields: ROUTING_FIELDS };
ROUTING_FIELDS.set('channels', ROUTING);

/** Clients have `source` here, and `templateId` beside the maps; nothing depends on either. */
const PREFERENCE = { fields: new Map([...declaredFields(PreferenceDetails).fields, ['source', null] as const]) };

/** Preferences in the map form, of a recipient. */
export const PREFERENCE_FIELDS = namedFields('notifications categories templateId', {
  notifications: fieldsOfEach(PREFERENCE),
  categories: fieldsOfEach(PREFERENCE),
});

const RECIPIENT = declaredFields(Recipient, {
  context: declaredFields(MessageContext),
  filters: declaredFields(RecipientFilter),
  preferences: PREFERENCE_FIELDS,
});
/** What stands beside the fields of a user, or of an address, is profile data. */
export const USER_FIELDS: KnownFields = { ...RECIPIENT, isOpen: true };
/** Lists, patterns, audiences and tenants have no profile. */
const SEVERAL: KnownFields = { fields: new Map([...RECIPIENT.fields].filter(([name]) => name !== 'locale')) };

/** A recipient of any kind. */
const RECIPIENT_FIELDS: KnownFields = { fields: new Map(), dependingOn: (to) => (namesUser(to) ? USER_FIELDS : SEVERAL) };

/** What stands in fields of a message that take any object. Nodes of Elemental are open: later nodes may read what stands in them. */
const WITHIN = {
  content: namedFields('title body version elements brand'),
  channels: fieldsOfEach(
    namedFields('brand_id if metadata override providers routing_method timeout timeouts', {
      metadata: METADATA,
      timeout: CHANNEL_TIMEOUTS,
      timeouts: CHANNEL_TIMEOUTS,
    }),
  ),
  providers: fieldsOfEach(
    namedFields('brand_id if metadata override timeout timeouts', {
      metadata: METADATA,
      timeout: PROVIDER_TIMEOUTS,
      timeouts: PROVIDER_TIMEOUTS,
    }),
  ),
  routing: ROUTING,
  delay: namedFields('duration until timezone'),
  timeout: TIMEOUT,
  timeouts: TIMEOUT,
  expiry: namedFields('expires_in expires_at'),
  to: RECIPIENT_FIELDS,
};

/** What has a meaning in a message of this class. */
export function fieldsOfMessage(dto: Dto, within: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  return declaredFields(dto, { ...WITHIN, ...within });
}

/** What the first event of a message warns of: fields of its request, by their paths, that have no meaning. */
export function unknownFieldWarnings(paths: readonly string[]): string[] {
  return paths.map((path) => `${path} is not a known field: it was ignored`);
}
