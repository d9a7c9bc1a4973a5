import { isHttpUrl } from '@tidings/contracts/core/http-url';
import type { SettingProblem } from './setting-values';

/** Whether a key or token can be sent in a header: printable ASCII characters, no blanks. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** The problem of a setting with a key or token, for `check` of a vendor; absent it has none. */
export function problemOfToken(name: string, value: string | undefined): SettingProblem | false {
  return value !== undefined && !isToken(value) && [name, 'must be printable ASCII characters'];
}

/** The problem of an address whose every part is secret, for `check` of a vendor; absent it has none. */
export function problemOfWebhook(name: string, value: string | undefined): SettingProblem | false {
  return value !== undefined && !isHttpUrl(value) && [name, 'must be the https address of a webhook'];
}

/** The header `authorization` with a scheme and a token; no header without a token. */
export function authorizationOf(scheme: string, token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `${scheme} ${token}` };
}

/** The header `authorization` of basic authentication. */
export function basicAuth(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
