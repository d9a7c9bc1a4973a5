import { isJsonObject, type JsonObject } from '../core/deep-merge';
import { isGiven } from '../core/refusals';
import { SECRET_FIELDS } from '../content/routing';
import { inLegacyOverride } from './accept-legacy';
import type { BulkMessage } from './bulk';

/** Stands where a secret stood. */
export const HIDDEN = '***';

/** What stands in place of a value that may be secret. `place` says where in its override it stands: `config.authorization`. */
export type ChangeSecret = (value: unknown, place: string) => unknown;

/** How something says its overrides: by channel and by provider. */
interface DeliverySettings {
  readonly channels?: object | null;
  readonly providers?: object | null;
}

/** An override with each value of it changed that may be secret: all that `config` and `headers` hold, whatever shape it has. */
export function changeSecrets(override: JsonObject, change: ChangeSecret): JsonObject {
  const fields = SECRET_FIELDS.filter((field) => isGiven(override[field]));
  if (fields.length === 0) return override;
  return { ...override, ...Object.fromEntries(fields.map((field) => [field, changeField(override[field], field, change)])) };
}

/** The override as it is shown: of what may be secret the names alone. */
export function withoutSecrets(override: JsonObject): JsonObject {
  return changeSecrets(override, () => HIDDEN);
}

/** A send, or a template, with the secrets of its overrides changed; where it says nothing of channels and providers, as it is. */
export function changeSecretsOf<Said extends DeliverySettings>(said: Said, change: ChangeSecret): Said {
  const { channels, providers } = said;
  if (!channels && !providers) return said;
  return {
    ...said,
    ...(channels && { channels: inSettings(channels, change) }),
    ...(providers && { providers: inSettings(providers, change) }),
  };
}

/** As `changeSecretsOf`, wherever the message of a bulk job says its overrides. What is no override is left for its checks to refuse. */
export function changeSecretsOfBulk(message: BulkMessage, change: ChangeSecret): BulkMessage {
  const { override, message: nested } = message;
  return {
    ...changeSecretsOf(message, change),
    ...(isJsonObject(override) && { override: inLegacyOverride(override, (one) => changeSecrets(one, change)) }),
    ...(nested && { message: changeSecretsOf(nested, change) }),
  };
}

function inSettings(all: object, change: ChangeSecret): JsonObject {
  const changed = ([name, one]: [string, unknown]): [string, unknown] =>
    isJsonObject(one) && isJsonObject(one.override) ? [name, { ...one, override: changeSecrets(one.override, change) }] : [name, one];
  return Object.fromEntries(Object.entries(all).map(changed));
}

function changeField(value: unknown, field: string, change: ChangeSecret): unknown {
  if (!isJsonObject(value)) return change(value, field);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isGiven(one) ? change(one, `${field}.${name}`) : one] as const),
  );
}
