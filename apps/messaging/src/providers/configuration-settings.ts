import { deepMerge, isJsonObject } from '@tidings/contracts/core/deep-merge';
import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid, isGiven } from '@tidings/contracts/core/refusals';
import { type AddressGuard, AddressRefused } from '@tidings/providers/http/guard/address-guard';
import type { ProviderKind, SettingField, SettingFields } from '@tidings/providers/provider-kind';
import { parseRateLimit } from './rate-limit';
import type { Secrets } from './provider-secrets';

type Settings = Readonly<Record<string, unknown>>;

/** Settings of a configuration before a change. */
interface EarlierSettings {
  settings: Settings;
  /** Undefined where they cannot be read. */
  secrets: Secrets | undefined;
}

/** Whether new settings must contain this one. @param hasSender whether the operator names the sender of mails. */
export function isRequired({ required, requiredWithoutSender }: SettingField, hasSender: boolean): boolean {
  return required || (requiredWithoutSender === true && !hasSender);
}

/**
 * The settings of a request that must contain all of them.
 * @param earlier whether the configuration exists already: its secrets may be omitted.
 * @throws ServiceError `invalid_request` naming the required ones, where `given` is absent.
 */
export function wholeSettings(
  kind: ProviderKind,
  given: Settings | null | undefined,
  { earlier, hasSender }: { earlier: boolean; hasSender: boolean },
): Settings {
  if (given) return given;
  const needed = requiredOf(kind, (field) => isRequired(field, hasSender) && !(earlier && field.secret));
  if (needed === '') return {};
  throw invalid(`settings must be an object with ${needed} at least (got ${given === null ? 'null' : 'nothing'})`);
}

/**
 * The settings after a change: absent settings stay, `null` removes one (in `splitSettings`); a `null` object removes all.
 * @throws ServiceError `invalid_request` naming the required ones, where all would be removed.
 */
export function changedSettings(kind: ProviderKind, earlier: Settings, patch: Settings | null | undefined): Settings {
  if (patch !== null) return deepMerge(earlier, patch ?? {});
  const needed = requiredOf(kind);
  if (needed === '') return {};
  throw invalid(`settings must be an object of what changes, or be left out (got null): ${needed} cannot be removed`);
}

/**
 * Refuses settings without a sender, where the operator names none.
 * @param earlier the settings before a change: a configuration that had no sender may stay without.
 * @throws ServiceError `invalid_request` naming the setting.
 */
export function assertSender({ fields }: ProviderKind, settings: Settings, earlier?: Settings): void {
  const missing = Object.entries(fields).find(
    ([name, field]) => field.requiredWithoutSender && settings[name] === undefined && (!earlier || earlier[name] !== undefined),
  );
  if (missing) throw invalid(`settings.${missing[0]} is required: the sender of mails without one, address or Name <address>`);
}

/** The settings of a kind that count, as text; empty where there are none. */
function requiredOf(kind: ProviderKind, counts: (field: SettingField) => boolean = ({ required }) => required) {
  const names = Object.entries(kind.fields).flatMap(([name, field]) => (counts(field) ? [name] : []));
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1');
}

/**
 * Checks the settings of a request and splits off the secrets. A secret that the request omits stays, unless the address it is sent to
 * changes: otherwise a client that may change settings could have it sent to an address of its own.
 * @param guard restricts the addresses that providers may connect to.
 * @param earlier absent for a new configuration.
 * @throws ServiceError `invalid_request` naming each wrong or missing setting.
 */
export function splitSettings(kind: ProviderKind, given: Settings, guard: AddressGuard, earlier?: EarlierSettings) {
  const { rate_limit, ...own } = given;
  const whole = deepMerge(earlier ? retainedSecrets(kind, own, earlier) : {}, own);
  const problems: string[] = [];
  const parsed = noting(problems, () => kind.parseSettings(whole));
  const rateLimit = noting(problems, () => parseRateLimit(rate_limit));
  if (problems.length > 0) throw invalid(problems.join('; '));
  const channel = kind.channelOf(parsed);
  const named = kind.hostOf(parsed);
  if (named && !guard.allowsHost(named.host)) throw invalid(`settings.${named.setting}: ${new AddressRefused(named.host).message}`);
  return {
    settings: { ...partOf(kind.fields, whole, false), ...(rateLimit && { rate_limit: rateLimit }) },
    secrets: partOf(kind.fields, whole, true),
    channel,
  };
}

/** The secret settings, or the others. @param settings valid ones; `null` counts as absent. */
function partOf(fields: SettingFields, settings: Settings, isSecret: boolean): Settings {
  const entries = Object.entries(settings).flatMap(([name, value]): [string, unknown][] => {
    const { secret = false, fields: inner } = fields[name] ?? {};
    if (!isGiven(value)) return [];
    if (!inner) return secret === isSecret ? [[name, value]] : [];
    const part = partOf(inner, value as Settings, isSecret);
    return Object.keys(part).length > 0 ? [[name, part]] : [];
  });
  return Object.fromEntries(entries);
}

/** The result of `parse`; undefined where it refuses, and the message is in `problems` then. */
function noting<Result>(problems: string[], parse: () => Result) {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    problems.push(error.message);
    return undefined;
  }
}

function retainedSecrets(kind: ProviderKind, given: Settings, earlier: EarlierSettings) {
  const fields = Object.entries(kind.fields);
  const names = fields.flatMap(([name, { secret }]) => (secret && given[name] === undefined ? [name] : []));
  // An object that is absent is removed with its secrets.
  const objects = fields.flatMap(([name, field]) => (hasOmittedSecret(field, given[name]) ? [name] : []));
  if (names.length + objects.length === 0) return {};
  const { secrets } = earlier;
  if (!secrets) {
    const which = [...names, ...objects].map((name) => `settings.${name}`).join(', ');
    throw invalid(`The secrets of this configuration cannot be read any more: give ${which} again`);
  }
  const retained = names.filter((name) => secrets[name] !== undefined);
  // `parseSettings` reports a required setting that is absent.
  const moved = fields.find(
    ([name, { destination, required }]) =>
      destination && (isGiven(given[name]) || !required) && (given[name] ?? undefined) !== (earlier.settings[name] ?? undefined),
  );
  if (moved && retained.length > 0) {
    throw invalid(
      `settings.${retained[0]} must be given again, since settings.${moved[0]} changed: a stored secret is not sent to a new address`,
    );
  }
  // Secrets of objects are never sent: they stay valid with a new address.
  return Object.fromEntries([...retained, ...objects].map((name) => [name, secrets[name]]));
}

/** Whether an object was given without a secret that its field may have. */
function hasOmittedSecret({ fields = {} }: SettingField, given: unknown) {
  return isJsonObject(given) && Object.entries(fields).some(([name, { secret }]) => secret && given[name] === undefined);
}
