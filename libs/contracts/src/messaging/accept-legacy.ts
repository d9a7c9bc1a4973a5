import { deepMerge, isJsonObject, type JsonObject } from '../core/deep-merge';
import { keyPath } from '../core/text';
import { mustBe } from '../core/violations';
import { type Acceptance, type FieldNames, requestOf, withRecipients } from './accept-message';
import { assertOverride } from './accept-settings';
import { acceptGroup, acceptUser, targetFields } from './accept-recipient';
import type { MessageRequested } from './events';
import type { LegacyListSend, LegacySend } from './legacy-send';
import { invalid, isGiven } from '../core/refusals';

/** The names of an older client's send: it has the settings of channels and providers in `override`. */
export const LEGACY_NAMES: FieldNames = {
  whole: 'The request',
  of: (field, key) => keyPath(overrideField(field, 'override') ?? field, key),
  ofOverride: (field, key) => LEGACY_NAMES.of(field, key),
};

/** The field of an `override` at `path` with the settings that are `channels` or `providers` now; undefined for other fields. */
export function overrideField(field: string, path: string): string | undefined {
  if (field === 'channels') return `${path}.channel`;
  return field === 'providers' ? path : undefined;
}

/**
 * The request of an older client's send: `event` names the template, `recipient` the user.
 * @throws ServiceError `invalid_request` naming the field.
 */
export function acceptLegacySend(request: LegacySend, acceptance: Acceptance): MessageRequested {
  const { recipient, profile, preferences } = request;
  if (!request.event && !recipient) throw invalid('message is required (or, as older clients send it, event and recipient)');
  if (!recipient) throw invalid('recipient is required where there is no message');
  const accepted = requestOfLegacy(request, acceptance);
  return withRecipients(accepted, { ...acceptUser(recipient, profile ?? {}, 'profile'), ...targetFields({ preferences }, 'preferences') });
}

/** As `acceptLegacySend`, to a list or a pattern of lists. */
export function acceptLegacyListSend(request: LegacyListSend, acceptance: Acceptance): MessageRequested {
  const { list, pattern, preferences } = request;
  if (list && pattern) throw invalid('list and pattern are both there; send one of them');
  if (!list && !pattern) throw invalid('list or pattern is required');
  if (!request.event) throw invalid('event is required');
  const accepted = requestOfLegacy(request, acceptance);
  const target = list ? acceptGroup('list_id', list, 'list') : acceptGroup('list_pattern', pattern!, 'pattern');
  return withRecipients(accepted, { ...target, ...targetFields({ preferences }, 'preferences') });
}

function requestOfLegacy({ event, data, brand, override }: LegacySend | LegacyListSend, acceptance: Acceptance) {
  if (!event) throw invalid('event is required where there is no message');
  const settings = override ? legacySettings(override, 'override') : {};
  return requestOf({ template: event, data, brand_id: brand, ...settings }, LEGACY_NAMES, acceptance);
}

/**
 * An `override` of the older form, `{ channel: { email: {…} }, brand: {…}, sendgrid: {…} }`, as equivalent settings by channel
 * and by provider.
 * @param path its path in errors.
 * @throws ServiceError `invalid_request` naming the field of `override` that is no object.
 */
export function legacySettings(override: JsonObject, path: string): { channels?: JsonObject; providers?: JsonObject } {
  const { channel: byChannel, brand, ...byProvider } = override;
  const channels = deepMerge(
    asSettings(objectOf(byChannel, `${path}.channel`), `${path}.channel`),
    isGiven(brand) ? { email: { override: { brand: objectOf(brand, `${path}.brand`) } } } : {},
  );
  const providers = asSettings(byProvider, path);
  return { ...(hasKeys(channels) && { channels }), ...(hasKeys(providers) && { providers }) };
}

/** An `override` of the older form at `path` with `change` applied to each override in it, given its path; other values stay. */
export function inLegacyOverride(all: JsonObject, path: string, change: (override: JsonObject, path: string) => JsonObject): JsonObject {
  const inEach = (overrides: JsonObject, at: string): JsonObject =>
    Object.fromEntries(Object.entries(overrides).map(([name, one]) => [name, isJsonObject(one) ? change(one, keyPath(at, name)) : one]));
  const { channel, brand, ...byProvider } = all;
  return {
    ...inEach(byProvider, path),
    ...(channel !== undefined && { channel: isJsonObject(channel) ? inEach(channel, `${path}.channel`) : channel }),
    ...(brand !== undefined && { brand }),
  };
}

function asSettings(overrides: JsonObject, path: string) {
  const given = Object.entries(overrides).filter(([, override]) => isGiven(override));
  const settings = given.map(([key, value]) => {
    const at = keyPath(path, key);
    const override = objectOf(value, at);
    assertOverride(override, at); // errors name the client's field
    return [key, { override }] as const;
  });
  return Object.fromEntries(settings);
}

function objectOf(value: unknown, path: string) {
  if (!isGiven(value)) return {};
  if (!isJsonObject(value)) throw invalid(mustBe('an object', path, value));
  return value;
}

function hasKeys(object: JsonObject) {
  return Object.keys(object).length > 0;
}
