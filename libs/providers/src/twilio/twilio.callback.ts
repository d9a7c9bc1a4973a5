import { createHash } from 'node:crypto';
import { formOf } from '../callback/bodies';
import type { CallbackRequest, ProviderEvent, VendorCallback } from '../callback/callback';
import { hmacOf, isEqual } from '../callback/signatures';

/** The parameter of the address with the delivery. */
export const DELIVERY_PARAMETER = 'delivery';

/** Status callbacks of a message; the address is in each request that sends one. They have no time. */
export const twilioCallback: VendorCallback = {
  methods: ['POST'],
  setup: `Nothing: each message names the address. The primary _Auth Token_ of the account signs the reports, also where an
API key sends: set \`auth_token\` beside \`api_key\` then. A messaging service must not have a status callback of its
own.`,
  settings: ['auth_token'],
  reports: ['DELIVERED', 'BOUNCED', 'FAILED', 'OPENED'],
  verify(request, { settings: { auth_token: token } }) {
    if (typeof token !== 'string') return 'settings.auth_token is not set';
    const { 'x-twilio-signature': given } = request.headers;
    if (given === undefined) return 'It is not signed';
    const suffix = signedSuffix(request);
    if (suffix === undefined) return 'Its body is another one than the signed one';
    const isSigned = spellingsOf(request.url).some((url) => isEqual(hmacOf('sha1', token, [url, suffix], 'base64'), given));
    return isSigned ? undefined : 'Its signature is wrong';
  },
  parse(request, nowMs) {
    const form = formOf(request);
    const [sid, status, code] = ['MessageSid', 'MessageStatus', 'ErrorCode'].map((name) => form.get(name) ?? undefined);
    const outcome = outcomeOf(status, Number(code));
    if (!outcome || sid === undefined) return [];
    const delivery = new URL(request.url).searchParams.get(DELIVERY_PARAMETER);
    const details = outcome.kind === 'BOUNCED' || outcome.kind === 'FAILED' ? `${status}${code ? ` (${code})` : ''}` : undefined;
    const address = form.get('To') ?? undefined;
    return [{ eventId: `${sid} ${status}`, atMs: nowMs, delivery, reference: sid, address, details, code, ...outcome }];
  },
};

function outcomeOf(status: string | undefined, code: number): Pick<ProviderEvent, 'kind' | 'reasonCode'> | undefined {
  switch (status) {
    case 'delivered':
      return { kind: 'DELIVERED' };
    case 'read':
      return { kind: 'OPENED' };
    case 'undelivered':
    case 'failed':
      if (code === 30_003) return { kind: 'BOUNCED', reasonCode: 'SOFT' };
      return code === 30_005 || code === 30_006 ? { kind: 'BOUNCED', reasonCode: 'HARD' } : { kind: 'FAILED' };
    case 'canceled':
      return { kind: 'FAILED' };
    default:
      return undefined;
  }
}

/** What is signed after the address; undefined for a body whose hash the address does not have. */
function signedSuffix(request: CallbackRequest): string | undefined {
  const hash = new URL(request.url).searchParams.get('bodySHA256');
  if (hash !== null) return isEqual(createHash('sha256').update(request.body).digest('hex'), hash.toLowerCase()) ? '' : undefined;
  const form = formOf(request);
  return [...new Set(form.keys())]
    .sort()
    .flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => `${name}${value}`))
    .join('');
}

/** The spellings of an address that Twilio may have signed: with and without its port, and with its query encoded anew. */
function spellingsOf(text: string): string[] {
  const [address = text] = text.split('?', 1);
  const query = text.includes('?') ? text.slice(address.length + 1) : undefined;
  const url = new URL(address);
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const withPort = `${url.protocol}//${url.hostname}:${port}${url.pathname}`;
  const withoutPort = `${url.protocol}//${url.hostname}${url.pathname}`;
  const queries = query === undefined ? [''] : [`?${query}`, `?${new URLSearchParams(query).toString()}`];
  return [address, withPort, withoutPort].flatMap((one) => queries.map((rest) => `${one}${rest}`));
}
