import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { type AddressGuard, AddressRefused } from '@tidings/providers/http/guard/address-guard';
import type { ProviderKind } from '@tidings/providers/provider-kind';
import { parseRateLimit } from './rate-limit';
import type { Secrets } from './provider-secrets';

type Settings = Readonly<Record<string, unknown>>;

/** What the settings of a request are judged by, beside their kind. */
interface Judging {
  /** Where providers may connect to. */
  guard: AddressGuard;
  /** Absent where the configuration is made. */
  earlier?: EarlierSettings;
}

/** Settings taken apart: what may be shown, and what may not. */
interface PartedSettings {
  settings: Settings;
  secrets: Secrets;
  channel: string;
}

/** What a configuration had before. */
interface EarlierSettings {
  settings: Settings;
  /** Undefined where they cannot be read. */
  secrets: Secrets | undefined;
}

/**
 * The settings of a request that names all of them.
 * @param earlier whether there are some already: a secret among them stays.
 * @throws ServiceError `invalid_request` naming those that are needed, where there are none.
 */
export function wholeSettings(kind: ProviderKind, given: Settings | null | undefined, { earlier }: { earlier: boolean }): Settings {
  if (given) return given;
  const needed = Object.keys(kind.fields).filter((name) => kind.fields[name]!.required && !(earlier && kind.fields[name]!.secret));
  if (needed.length === 0) return {};
  throw invalid(`settings must be an object with ${listed(needed)} at least (got ${given === null ? 'null' : 'nothing'})`);
}

/**
 * The settings after a change: what is absent stays, `null` removes a setting, and of the whole object every one.
 * @throws ServiceError `invalid_request` naming those that are needed, where all are to be removed.
 */
export function changedSettings(kind: ProviderKind, earlier: Settings, patch: Settings | null | undefined): Settings {
  if (patch !== null) return mergeSettings(earlier, patch ?? {});
  const needed = Object.keys(kind.fields).filter((name) => kind.fields[name]!.required);
  if (needed.length === 0) return {};
  throw invalid(`settings must be an object of what changes, or be left out (got null): ${listed(needed)} cannot be removed`);
}

const listed = (names: readonly string[]): string => names.join(', ').replace(/, ([^,]*)$/, ' and $1');

/**
 * Checks the settings of a request and takes the secrets out of them. A secret that the request leaves out stays what it was, unless the
 * place it is sent to changes: whoever may change settings could otherwise have it sent to a place of their own.
 * @throws ServiceError `invalid_request` naming the setting.
 */
export function partSettings(kind: ProviderKind, given: Settings, { guard, earlier }: Judging): PartedSettings {
  const { rate_limit, ...own } = given;
  const rateLimit = parseRateLimit(rate_limit);
  const whole = { ...(earlier && keptSecrets(kind, own, earlier)), ...own };
  const parsed = kind.parseSettings(whole);
  const channel = kind.channelOf(parsed);
  const { setting, host } = kind.hostOf(parsed);
  if (!guard.allowsHost(host)) throw invalid(`settings.${setting}: ${new AddressRefused(host).message}`);
  const present = Object.entries(whole).filter(([, value]) => value !== null && value !== undefined);
  const isSecret = ([name]: [string, unknown]): boolean => kind.fields[name]?.secret === true;
  return {
    settings: {
      ...Object.fromEntries(present.filter((entry) => !isSecret(entry))),
      ...(rateLimit && { rate_limit: { rate: rateLimit.rate, period: rateLimit.period } }),
    },
    secrets: Object.fromEntries(present.filter(isSecret)),
    channel,
  };
}

/** The settings after a merge (RFC 7396): what is absent stays, `null` removes. Secrets are left to `partSettings`. */
function mergeSettings(earlier: Settings, patch: Settings): Settings {
  const merged: Record<string, unknown> = { ...earlier };
  for (const [name, value] of Object.entries(patch)) {
    const before = earlier[name];
    merged[name] = isJsonObject(value) && isJsonObject(before) ? mergeSettings(before, value) : value;
  }
  return merged;
}

/** A needed setting is not there: it is missed before anything else. */
function lacks(kind: ProviderKind, given: Settings, name: string): boolean {
  return kind.fields[name]!.required && (given[name] ?? undefined) === undefined;
}

function keptSecrets(kind: ProviderKind, given: Settings, earlier: EarlierSettings): Secrets {
  const names = Object.keys(kind.fields).filter((name) => kind.fields[name]!.secret && given[name] === undefined);
  if (names.length === 0) return {};
  const { secrets } = earlier;
  if (!secrets) {
    const which = names.map((name) => `settings.${name}`).join(', ');
    throw new ServiceError('invalid_request', `The secrets of this configuration cannot be read any more: give ${which} again`);
  }
  const kept = names.filter((name) => secrets[name] !== undefined);
  const moved = Object.keys(kind.fields).find(
    (name) =>
      kind.fields[name]!.destination && !lacks(kind, given, name) && (given[name] ?? undefined) !== (earlier.settings[name] ?? undefined),
  );
  if (moved !== undefined && kept.length > 0) {
    throw new ServiceError(
      'invalid_request',
      `settings.${kept[0]} must be given again, since settings.${moved} changed: a secret is not sent to a new place unasked`,
    );
  }
  return Object.fromEntries(kept.map((name) => [name, secrets[name]]));
}
