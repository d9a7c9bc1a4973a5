import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { type AddressGuard, AddressRefused } from '@tidings/providers/http/guard/address-guard';
import type { ProviderKind } from '@tidings/providers/provider-kind';
import { parseRateLimit } from './rate-limit';
import type { Secrets } from './provider-secrets';

type Settings = Readonly<Record<string, unknown>>;

/** Input of the checks besides the settings and their kind. */
interface CheckContext {
  /** Restricts the addresses that providers may connect to. */
  guard: AddressGuard;
  /** Absent for a new configuration. */
  earlier?: EarlierSettings;
}

/** Settings split into those that are shown and secrets. */
interface SplitSettings {
  settings: Settings;
  secrets: Secrets;
  channel: string;
}

/** Settings of a configuration before a change. */
interface EarlierSettings {
  settings: Settings;
  /** Undefined where they cannot be read. */
  secrets: Secrets | undefined;
}

/**
 * The settings of a request that must contain all of them.
 * @param earlier whether the configuration exists already: its secrets may be omitted.
 * @throws ServiceError `invalid_request` naming the required ones, where `given` is absent.
 */
export function wholeSettings(kind: ProviderKind, given: Settings | null | undefined, { earlier }: { earlier: boolean }): Settings {
  if (given) return given;
  const needed = requiredOf(kind, (name) => !(earlier && kind.fields[name]!.secret));
  if (needed === '') return {};
  throw invalid(`settings must be an object with ${needed} at least (got ${given === null ? 'null' : 'nothing'})`);
}

/**
 * The settings after a change: absent settings stay, `null` removes one; a `null` object removes all.
 * @throws ServiceError `invalid_request` naming the required ones, where all would be removed.
 */
export function changedSettings(kind: ProviderKind, earlier: Settings, patch: Settings | null | undefined): Settings {
  if (patch !== null) return mergeSettings(earlier, patch ?? {});
  const needed = requiredOf(kind);
  if (needed === '') return {};
  throw invalid(`settings must be an object of what changes, or be left out (got null): ${needed} cannot be removed`);
}

/** The required settings of a kind, as text; empty where there are none. */
function requiredOf(kind: ProviderKind, counts: (name: string) => boolean = () => true): string {
  const names = Object.keys(kind.fields).filter((name) => kind.fields[name]!.required && counts(name));
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1');
}

/**
 * Checks the settings of a request and splits off the secrets. A secret that the request omits stays, unless the address it is sent to
 * changes: otherwise a client that may change settings could have it sent to an address of its own.
 * @throws ServiceError `invalid_request` naming the setting.
 */
export function splitSettings(kind: ProviderKind, given: Settings, { guard, earlier }: CheckContext): SplitSettings {
  const { rate_limit, ...own } = given;
  const rateLimit = parseRateLimit(rate_limit);
  const whole = { ...(earlier && retainedSecrets(kind, own, earlier)), ...own };
  const parsed = kind.parseSettings(whole);
  const channel = kind.channelOf(parsed);
  const { setting, host } = kind.hostOf(parsed);
  if (!guard.allowsHost(host)) throw invalid(`settings.${setting}: ${new AddressRefused(host).message}`);
  const present = Object.entries(whole).filter(([, value]) => value !== null && value !== undefined);
  const isSecret = ([name]: [string, unknown]): boolean => kind.fields[name]?.secret === true;
  return {
    settings: {
      ...Object.fromEntries(present.filter((entry) => !isSecret(entry))),
      ...(rateLimit && { rate_limit: rateLimit }),
    },
    secrets: Object.fromEntries(present.filter(isSecret)),
    channel,
  };
}

/** The settings after a merge (RFC 7396): absent settings stay, `null` removes. `splitSettings` handles secrets. */
function mergeSettings(earlier: Settings, patch: Settings): Settings {
  const merged: Record<string, unknown> = { ...earlier };
  for (const [name, value] of Object.entries(patch)) {
    const before = earlier[name];
    merged[name] = isJsonObject(value) && isJsonObject(before) ? mergeSettings(before, value) : value;
  }
  return merged;
}

/** Whether a required setting is absent, which `parseSettings` reports. */
function lacks(kind: ProviderKind, given: Settings, name: string): boolean {
  return kind.fields[name]!.required && (given[name] ?? undefined) === undefined;
}

function retainedSecrets(kind: ProviderKind, given: Settings, earlier: EarlierSettings): Secrets {
  const names = Object.keys(kind.fields).filter((name) => kind.fields[name]!.secret && given[name] === undefined);
  if (names.length === 0) return {};
  const { secrets } = earlier;
  if (!secrets) {
    const which = names.map((name) => `settings.${name}`).join(', ');
    throw new ServiceError('invalid_request', `The secrets of this configuration cannot be read any more: give ${which} again`);
  }
  const retained = names.filter((name) => secrets[name] !== undefined);
  const moved = Object.keys(kind.fields).find(
    (name) =>
      kind.fields[name]!.destination && !lacks(kind, given, name) && (given[name] ?? undefined) !== (earlier.settings[name] ?? undefined),
  );
  if (moved !== undefined && retained.length > 0) {
    throw new ServiceError(
      'invalid_request',
      `settings.${retained[0]} must be given again, since settings.${moved} changed: a stored secret is not sent to a new address`,
    );
  }
  return Object.fromEntries(retained.map((name) => [name, secrets[name]]));
}
