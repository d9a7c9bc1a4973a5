import { deepMerge, isJsonObject, type JsonObject } from '../core/deep-merge';
import { unknownFields } from '../core/known-fields';
import { assertAtMost, invalid, isGiven } from '../core/refusals';
import { keyPath } from '../core/text';
import { validate } from '../core/validator';
import { USER_ID_LENGTH_MAX } from '../identity/profiles';
import { hasAddress } from './address-id';
import { legacySettings, overrideField } from './accept-legacy';
import { type Acceptance, type FieldNames, namesBelow, requestOf } from './accept-message';
import { acceptUser, targetFields } from './accept-recipient';
import { BULK_USER_BYTES_MAX, BulkMessage, BulkUser } from './bulk';
import type { MessageRequested } from './events';
import { fieldsOfMessage, unknownFieldWarnings } from './message-fields';
import { UnaddressedMessage } from './send';
import type { UserTarget } from './targets';

/** The path of the settings of channels and providers in the older form. */
const OVERRIDE = 'message.override';

const KNOWN_FIELDS = fieldsOfMessage(BulkMessage, { message: fieldsOfMessage(UnaddressedMessage) });

/**
 * The request of a job's run, without recipients. Pure. Fields of `message.message` win over those beside it; data, metadata and
 * the settings of channels and providers are merged.
 * @param message fits `BulkMessage`.
 * @throws ServiceError `invalid_request` naming the field.
 */
export function acceptBulkMessage(message: BulkMessage, acceptance: Acceptance): MessageRequested {
  const { event, brand, locale: _locale, override, message: nested, ...outer } = message;
  const inner = nested ?? {};
  const source = [inner, outer].find(({ content, template }) => isGiven(content) || isGiven(template)) ?? { template: event };
  if (!isGiven(source.content) && !isGiven(source.template)) {
    throw invalid(
      'message needs event, template, content (an object with title and body, or with elements), or one of them in message.message',
    );
  }
  const overridden = override ? legacySettings(override, OVERRIDE) : {};
  const unaddressed: UnaddressedMessage = {
    ...given({ brand_id: brand }),
    ...given(outer),
    ...given(inner),
    content: source.content,
    template: source.template,
    data: layered(outer.data, inner.data),
    channels: layered(overridden.channels, outer.channels, inner.channels),
    providers: layered(overridden.providers, outer.providers, inner.providers),
    metadata: { ...given({ event }), ...given(outer.metadata ?? {}), ...given(inner.metadata ?? {}) },
  };
  const warnings = unknownFieldWarnings(unknownFields(KNOWN_FIELDS, message, 'message'));
  const names = namesIn({ inner, outer, overridden }, source === inner);
  return requestOf(unaddressed, names, { ...acceptance, warnings });
}

/** Names a field, or an entry of it, where it counts: within the nested message if that has it, else beside it, else in `override`. */
function namesIn({ inner, outer, overridden }: Record<'inner' | 'outer' | 'overridden', object>, hasContent: boolean): FieldNames {
  const [outside, inside] = [namesBelow('message'), namesBelow('message.message')];
  const has = (fields: object, field: string, key?: string) => {
    const value = (fields as JsonObject)[field];
    return key === undefined ? isGiven(value) : isJsonObject(value) && Object.hasOwn(value, key);
  };
  const isOverridden = (field: string, key?: string) => has(overridden, field, key) && !has(outer, field, key) && !has(inner, field, key);
  const of = (field: string, key?: string) => {
    if (has(inner, field, key)) return inside.of(field, key);
    return isOverridden(field, key) ? keyPath(overrideField(field, OVERRIDE)!, key) : outside.of(field, key);
  };
  return {
    whole: (hasContent ? inside : outside).whole,
    of,
    ofOverride: (field, key) => (isOverridden(field, key) ? of(field, key) : `${of(field, key)}.override`),
  };
}

/**
 * A user of a job as the target of a send.
 * @throws ServiceError `invalid_request` naming the field of the user.
 */
export function acceptBulkUser(user: object): UserTarget {
  validate(BulkUser, user);
  assertAtMost(BULK_USER_BYTES_MAX, Buffer.byteLength(JSON.stringify(user)), 'The user', 'bytes');
  // The given object, not the validated instance: undeclared fields of `to` are profile data.
  const { recipient, profile, data, preferences, to } = user as BulkUser;
  const { user_id: userId, data: toData, preferences: toPreferences, context, tenant_id: tenant, account_id: account, ...rest } = to ?? {};
  const { list_id, list_pattern, audience_id, filters, include_children, ...addresses } = rest;
  for (const [field, value] of Object.entries({ list_id, list_pattern, audience_id, filters, include_children })) {
    if (isGiven(value)) throw invalid(`to.${field} is for sends to several: a user of a bulk job is one user, or one address`);
  }
  if (isGiven(recipient) && isGiven(userId) && recipient !== userId) {
    throw invalid(`recipient ${recipient} and to.user_id ${userId} are two users; send one of them`);
  }
  const userProfile = deepMerge(addresses, profile ?? {});
  const id = recipient ?? userId ?? undefined;
  if (id === undefined && !hasAddress(userProfile)) {
    throw invalid('The user needs recipient, to.user_id, or an address in profile or to (email, phone_number, slack …)');
  }
  const allData = data && toData ? deepMerge(toData, data) : (data ?? toData);
  const tenantId = context?.tenant_id ?? tenant ?? account;
  return {
    ...acceptUser(id, userProfile, to ? 'to' : 'profile'),
    ...targetFields({ data: allData, preferences: preferences ?? toPreferences }, preferences ? 'preferences' : 'to.preferences'),
    ...(isGiven(tenantId) && { tenantId: tenantId! }),
  };
}

/** The user id in an invalid entry of a job, if it has a valid one. */
export function bulkUserId(user: object): string | undefined {
  const { recipient, to } = user as { recipient?: unknown; to?: unknown };
  const name = recipient ?? (isJsonObject(to) ? to.user_id : undefined);
  return typeof name === 'string' && name.length > 0 && name.length <= USER_ID_LENGTH_MAX ? name : undefined;
}

/** Objects merged in order, later ones win; undefined if none is given. */
function layered(...layers: (JsonObject | null | undefined)[]) {
  return layers.reduce<JsonObject | undefined>((below, layer) => (layer ? deepMerge(below ?? {}, layer) : below), undefined);
}

/** The fields that are neither absent nor `null`. */
function given<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value))) as Partial<Fields>;
}
