import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { ServiceError } from '@tidings/contracts/core/errors';
import { isHttpUrl } from '@tidings/contracts/core/http-url';
import { isHeader } from '@tidings/contracts/messaging/webhook-address';
import type { Failed } from './provider';

const CALL_METHODS = ['POST', 'PUT', 'PATCH'] as const;
export type CallMethod = (typeof CALL_METHODS)[number];

/** What a send changes of the call of its provider, checked. */
export interface CallOverride<Setting extends string> {
  /** To be written over the body of the request: objects are merged, all else is replaced, `null` takes away. */
  readonly body?: JsonObject;
  /** In place of settings of the configuration. */
  readonly config: { readonly [Name in Setting]?: string };
  readonly url?: string;
  readonly method?: CallMethod;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads what a send changes of a request over HTTP; `settings` as for `readConfig`. What it says of anything else is passed over. */
export function readOverride<Setting extends string>(
  override: Readonly<Record<string, unknown>> | undefined,
  settings: readonly Setting[],
): CallOverride<Setting> {
  if (!override) return { config: {}, headers: {} };
  const { body, config, url, method, headers } = override;
  if (isGiven(body) && !isJsonObject(body)) throw refuse('body', 'must be an object');
  if (isGiven(url) && !isHttpUrl(url)) throw refuse('url', 'must be an http or https URL without a user name or password in it');
  return {
    ...(isGiven(body) && { body }),
    config: readConfig(config, settings),
    ...(isGiven(url) && { url }),
    ...(isGiven(method) && { method: readMethod(method) }),
    headers: readHeaders(headers),
  };
}

/** How an attempt ends whose override cannot be followed. */
export function refusedOverride({ message }: ServiceError): Failed {
  return { kind: 'failed', error: message, cause: 'permanent', reason: 'PROVIDER_ERROR' };
}

/**
 * Reads `config` of an override: what it puts in the place of settings.
 * @param settings those that a send may replace. Any other is refused: to deliver by the configured one as if nothing had been said
 *   would be worse.
 * @throws ServiceError `invalid_request` naming what cannot be, without its value: it may be a secret.
 */
export function readConfig<Setting extends string>(config: unknown, settings: readonly Setting[]): { [Name in Setting]?: string } {
  if (!isGiven(config)) return {};
  if (!isJsonObject(config)) throw refuse('config', 'must be an object');
  const known: readonly string[] = settings;
  const given = Object.entries(config).filter(([, value]) => isGiven(value));
  for (const [name, value] of given) {
    if (!known.includes(name)) {
      throw refuse(`config.${name.slice(0, 100)}`, `cannot be changed by a send; with this provider only ${settings.join(', ')} can`);
    }
    assertSetting(name, value);
  }
  return Object.fromEntries(given) as { [Name in Setting]?: string };
}

/** Settings travel in headers and addresses: what none of these can hold is refused here. */
function assertSetting(name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '' || !isHeader([name, value]))
    throw refuse(`config.${name}`, 'must be a text in one line, and not too long for a header');
  if (name === 'url' && !isHttpUrl(value)) throw refuse('config.url', 'must be an http or https URL without a user name or password in it');
}

function readMethod(method: unknown): CallMethod {
  const found = typeof method === 'string' ? CALL_METHODS.find((one) => one === method.toUpperCase()) : undefined;
  if (!found) throw refuse('method', `must be one of ${CALL_METHODS.join(', ')}`);
  return found;
}

function readHeaders(headers: unknown): Record<string, string> {
  if (!isGiven(headers)) return {};
  if (!isJsonObject(headers)) throw refuse('headers', 'must be an object');
  const given = Object.entries(headers).filter(([, value]) => isGiven(value));
  for (const header of given) {
    if (!isHeader(header)) throw refuse('headers', 'must hold names of headers, and their values as texts in one line');
  }
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value as string]));
}

const isGiven = <Value>(value: Value): value is NonNullable<Value> => value !== undefined && value !== null;
const refuse = (name: string, what: string): ServiceError => new ServiceError('invalid_request', `override.${name} ${what}`);
