import { isJsonObject, type JsonObject } from '../core/deep-merge';
import { isGiven } from '../core/refusals';
import { type ChangeSecret, type ChangeSettingsSecret, HIDDEN } from '../core/secret-values';
import { SECRET_FIELDS } from '../content/routing';
import { inLegacyOverride } from './accept-legacy';
import { type FieldNames, namesBelow } from './accept-message';
import type { BulkMessage } from './bulk';

/** Settings with overrides by channel and by provider. */
export interface DeliverySettings {
  readonly channels?: object | null;
  readonly providers?: object | null;
}

/** The override with `change` applied to each value that may be secret: all values in `config` and `headers`, of any shape. */
export function changeSecrets(override: JsonObject, change: ChangeSecret): JsonObject {
  const fields = SECRET_FIELDS.filter((field) => isGiven(override[field]));
  if (fields.length === 0) return override;
  return { ...override, ...Object.fromEntries(fields.map((field) => [field, changeField(override[field], field, change)])) };
}

/** The override for answers: values that may be secret are hidden, their names shown. */
export function withoutSecrets(override: JsonObject): JsonObject {
  return changeSecrets(override, () => HIDDEN);
}

/**
 * A send or stored settings with the secrets of their overrides changed; unchanged without channels and providers.
 * @param names of their fields in errors. Default: those of the settings alone.
 */
export function changeSecretsOf<Settings extends DeliverySettings>(
  settings: Settings,
  change: ChangeSettingsSecret,
  names: FieldNames = namesBelow(''),
): Settings {
  const { channels, providers } = settings;
  if (!channels && !providers) return settings;
  return {
    ...settings,
    ...(channels && { channels: inSettings('channels', channels, change, names) }),
    ...(providers && { providers: inSettings('providers', providers, change, names) }),
  };
}

/** As `changeSecretsOf`, for all overrides in the message of a bulk job. Invalid overrides stay, for the validation to refuse. */
export function changeSecretsOfBulk(message: BulkMessage, change: ChangeSettingsSecret): BulkMessage {
  const { override, message: nested } = message;
  const inOverride = (one: JsonObject, at: string) => changeSecrets(one, (value, path) => change(value, path, `${at}.${path}`));
  return {
    ...changeSecretsOf(message, change, namesBelow('message')),
    ...(isJsonObject(override) && { override: inLegacyOverride(override, 'message.override', inOverride) }),
    ...(nested && { message: changeSecretsOf(nested, change, namesBelow('message.message')) }),
  };
}

function inSettings(field: keyof DeliverySettings, all: object, change: ChangeSettingsSecret, names: FieldNames) {
  const changed = ([name, one]: [string, unknown]): [string, unknown] => {
    if (!isJsonObject(one) || !isJsonObject(one.override)) return [name, one];
    const inOverride: ChangeSecret = (value, path) => change(value, path, `${names.ofOverride(field, name)}.${path}`);
    return [name, { ...one, override: changeSecrets(one.override, inOverride) }];
  };
  return Object.fromEntries(Object.entries(all).map(changed));
}

function changeField(value: unknown, field: string, change: ChangeSecret) {
  if (!isJsonObject(value)) return change(value, field);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isGiven(one) ? change(one, `${field}.${name}`) : one] as const),
  );
}
