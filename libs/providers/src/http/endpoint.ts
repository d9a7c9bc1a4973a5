import type { Recipient } from '../recipient';
import type { SettingProblem } from '../setting-values';

/** The setting `authorization` of an endpoint: the whole value of the header. */
export const AUTHORIZATION_FIELD = { type: 'string', required: false, lengthMax: 4_096, secret: true } as const;

/** The problem of the setting `authorization`; absent it has none. */
export function problemOfAuthorization(text: string | undefined): SettingProblem | false {
  const what = 'must be printable ASCII characters, such as Bearer and a token';
  return text !== undefined && !/^[\x20-\x7e]+$/.test(text) && ['authorization', what];
}

/** The recipient of an endpoint: without addresses that are for one vendor alone. */
export function withoutVendors(recipient: Recipient): Recipient | undefined {
  if (recipient.channel === 'webhook') {
    const { pagerduty: _pagerduty, ...rest } = recipient;
    return rest;
  }
  if (recipient.channel !== 'direct_message') return recipient;
  const { telegram: _telegram, phone_number: _number, ...rest } = recipient;
  return Object.keys(rest).length > 1 ? rest : undefined;
}

/** The problem of the setting `url`; absent it has none. */
export function problemOfUrl(text: string | undefined): SettingProblem | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return ['url', 'must be a URL that begins with https:// or http://'];
  if (url.username === '' && url.password === '') return undefined;
  return ['url', 'must not hold credentials: put them into settings.authorization'];
}

export function withoutFragment(text: string) {
  const url = new URL(text);
  url.hash = '';
  return url;
}
