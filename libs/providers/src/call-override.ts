import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { isHttpUrl } from '@tidings/contracts/core/http-url';
import { invalid, isGiven } from '@tidings/contracts/core/refusals';
import { isHeader } from '@tidings/contracts/messaging/webhook-address';

const CALL_METHODS = ['POST', 'PUT', 'PATCH'] as const;
export type CallMethod = (typeof CALL_METHODS)[number];

const NO_HTTP_URL = 'must be an http or https URL without a user name or password in it';

/** Those of a send that has none. */
export const NO_HEADERS: Readonly<Record<string, string>> = {};

/** The validated changes that a send makes to the call of its provider. */
export interface CallOverride<Setting extends string> {
  /** Merged into the body of the request: objects are merged, other values are replaced, `null` removes. */
  readonly body?: JsonObject;
  /** Used instead of settings of the configuration. */
  readonly config: { readonly [Name in Setting]?: string };
  readonly url?: string;
  readonly method?: CallMethod;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads the changes of an HTTP request; `settings` as for `readConfig`. Other fields are ignored.
 * @throws ServiceError `invalid_request` naming the invalid field.
 */
export function readOverride<Setting extends string>(
  override: Readonly<Record<string, unknown>> | undefined,
  settings: readonly Setting[],
): CallOverride<Setting> {
  if (!override) return { config: {}, headers: NO_HEADERS };
  const { body, config, url, method, headers } = givenOf(override);
  if (body !== undefined && !isJsonObject(body)) throw refuse('body', 'must be an object');
  if (url !== undefined && !isHttpUrl(url)) throw refuse('url', NO_HTTP_URL);
  return {
    body,
    config: readConfig(config, settings),
    url,
    method: method === undefined ? undefined : readMethod(method),
    headers: readHeaders(headers ?? {}),
  };
}

/**
 * Reads `config` of an override, which replaces settings of the configuration.
 * @param settings those that a send may replace. Others are refused: ignoring them would deliver with the configured value.
 * @throws ServiceError `invalid_request` naming the invalid setting, without its value: it may be a secret.
 */
export function readConfig<Setting extends string>(config: unknown, settings: readonly Setting[]): { [Name in Setting]?: string } {
  const fields = config ?? {};
  if (!isJsonObject(fields)) throw refuse('config', 'must be an object');
  const replaceable: readonly string[] = settings;
  const given = givenOf(fields);
  for (const [name, value] of Object.entries(given)) {
    if (!replaceable.includes(name)) {
      throw refuse(`config.${name.slice(0, 100)}`, `cannot be changed by a send; with this provider only ${settings.join(', ')} can`);
    }
    assertSetting(name, value);
  }
  return given as { [Name in Setting]?: string };
}

/** Settings are sent in headers and addresses, so a value that fits neither is refused. */
function assertSetting(name: string, value: unknown) {
  if (typeof value !== 'string' || value === '' || !isHeader([name, value]))
    throw refuse(`config.${name}`, 'must be a text in one line, and not too long for a header');
  if (name === 'url' && !isHttpUrl(value)) throw refuse('config.url', NO_HTTP_URL);
}

function readMethod(method: unknown) {
  const found = typeof method === 'string' ? CALL_METHODS.find((one) => one === method.toUpperCase()) : undefined;
  if (!found) throw refuse('method', `must be one of ${CALL_METHODS.join(', ')}`);
  return found;
}

function readHeaders(headers: unknown) {
  if (!isJsonObject(headers)) throw refuse('headers', 'must be an object');
  const given = Object.entries(givenOf(headers));
  for (const header of given) {
    if (!isHeader(header)) throw refuse('headers', 'must hold names of headers, and their values as texts in one line');
  }
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value as string]));
}

/** Headers that identify sender and message, and those that HTTP itself needs. */
const RESERVED = new Set([
  ...['courier-signature', 'x-courier-message-id', 'idempotency-key'],
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'expect', 'te', 'trailer', 'accept-encoding'],
  'http2-settings',
]);

/** Headers without those that a send may not set. */
export function withoutReserved(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !RESERVED.has(name) && !name.startsWith('proxy-')));
}

/** The fields that are neither absent nor `null`. */
const givenOf = (fields: JsonObject): JsonObject => Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)));
const refuse = (name: string, what: string) => invalid(`override.${name} ${what}`);
