import { DELIVERY_FIELDS } from '../content/delivery-fields';
import { declaredFields, type KnownFields, namedFields } from '../core/known-fields';
import type { Dto } from '../core/operation';
import { PREFERENCE_FIELDS } from '../core/preferences';
import { namesUser } from './accept-recipient';
import { MessageContext, Recipient, RecipientFilter } from './recipient';

const TIMEOUT = namedFields('message channel provider criteria escalation');

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

/** The known fields of message fields declared as free objects. */
const WITHIN = {
  ...DELIVERY_FIELDS,
  delay: namedFields('duration until timezone'),
  timeout: TIMEOUT,
  timeouts: TIMEOUT,
  expiry: namedFields('expires_in expires_at'),
  to: RECIPIENT_FIELDS,
};

/** The known fields of a message of this class. */
export function fieldsOfMessage(dto: Dto, within: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  return declaredFields(dto, { ...WITHIN, ...within });
}

/** The warnings in the first event of a message: one for each unknown field of its request, by path. */
export function unknownFieldWarnings(paths: readonly string[]): string[] {
  return paths.map((path) => `${path} is not a known field: it was ignored`);
}
