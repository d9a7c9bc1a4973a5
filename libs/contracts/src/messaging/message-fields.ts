import { declaredFields, fieldsOfEach, type KnownFields, namedFields } from '../core/known-fields';
import type { Dto } from '../core/operation';
import { PreferenceDetails } from '../core/preferences';
import { namesUser } from './accept-recipient';
import { MessageContext, Recipient, RecipientFilter } from './recipient';
import { Utm } from './utm';

const METADATA = namedFields('utm', { utm: declaredFields(Utm) });
const TIMEOUT = namedFields('message channel provider criteria escalation');

/** Nodes of a routing, and the longer form of its channels. */
const ROUTING_FIELDS = new Map<string, KnownFields | null>([
  ...namedFields('method channel config if').fields,
  ['providers', namedFields('name config if metadata', { metadata: METADATA })],
]);
const ROUTING: KnownFields = { fields: ROUTING_FIELDS };
ROUTING_FIELDS.set('channels', ROUTING);

/** Clients send `source` here, and `templateId` beside the maps; both have no effect. */
const PREFERENCE = { fields: new Map([...declaredFields(PreferenceDetails).fields, ['source', null] as const]) };

/** The known fields of a recipient's preferences in the map form. */
export const PREFERENCE_FIELDS = namedFields('notifications categories templateId', {
  notifications: fieldsOfEach(PREFERENCE),
  categories: fieldsOfEach(PREFERENCE),
});

const RECIPIENT = declaredFields(Recipient, {
  context: declaredFields(MessageContext),
  filters: declaredFields(RecipientFilter),
  preferences: PREFERENCE_FIELDS,
});
/** The known fields of a user or an address; other fields are profile data. */
export const USER_FIELDS: KnownFields = { ...RECIPIENT, isOpen: true };
/** The known fields of lists, patterns, audiences and tenants, which have no profile. */
const SEVERAL: KnownFields = { fields: new Map([...RECIPIENT.fields].filter(([name]) => name !== 'locale')) };

/** The known fields of any recipient, by its kind. */
const RECIPIENT_FIELDS: KnownFields = { fields: new Map(), dependingOn: (to) => (namesUser(to) ? USER_FIELDS : SEVERAL) };

/** The known fields of message fields declared as free objects. Elemental nodes are open: later nodes may read any field of them. */
const WITHIN = {
  content: namedFields('title body version elements brand'),
  channels: settingsFields('brand_id if metadata override providers routing_method timeout timeouts', namedFields('channel provider')),
  providers: settingsFields('brand_id if metadata override timeout timeouts', namedFields('provider')),
  routing: ROUTING,
  delay: namedFields('duration until timezone'),
  timeout: TIMEOUT,
  timeouts: TIMEOUT,
  expiry: namedFields('expires_in expires_at'),
  to: RECIPIENT_FIELDS,
};

function settingsFields(names: string, timeouts: KnownFields) {
  return fieldsOfEach(namedFields(names, { metadata: METADATA, timeout: timeouts, timeouts }));
}

/** The known fields of a message of this class. */
export function fieldsOfMessage(dto: Dto, within: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  return declaredFields(dto, { ...WITHIN, ...within });
}

/** The warnings in the first event of a message: one for each unknown field of its request, by path. */
export function unknownFieldWarnings(paths: readonly string[]): string[] {
  return paths.map((path) => `${path} is not a known field: it was ignored`);
}
