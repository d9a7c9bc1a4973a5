import { createHash } from 'node:crypto';
import { MINUTE_MS } from '@tidings/contracts/core/duration';
import { fieldsOf, instantOf } from '../callback/bodies';
import type { CallbackRequest, ProviderEvent, VendorCallback } from '../callback/callback';
import { claimsOf, hmacOf, isEqual, isHashOf, isWithin } from '../callback/signatures';

const AGE_MS_MAX = 5 * MINUTE_MS;
/** How an account signs: `md5hash` is a hash of text and secret, the others are HMACs. */
export const VONAGE_SIGNATURE_METHODS = ['md5hash', 'md5', 'sha1', 'sha256', 'sha512'] as const;
const HARD = new Set(['3', '4', '9', '12']);
const SOFT = new Set(['1', '2', '7', '8']);

/** Delivery receipts; each message names the address. One comes for each part of a text. */
export const vonageCallback: VendorCallback = {
  methods: ['GET', 'POST'],
  setup: `Each message names the address. Receipts are not signed by default: ask Vonage to sign the webhooks of the account,
choose the method in _API Settings_, and set \`signature_secret\` and \`signature_method\`. Unsigned receipts are
refused. Where Vonage posts them with a token (\`Authorization: Bearer\`) instead, \`signature_secret\` verifies it.`,
  settings: ['signature_secret', 'signature_method', 'api_key'],
  reports: ['DELIVERED', 'BOUNCED', 'FAILED'],
  verify(request, { settings: { signature_secret: secret, signature_method: method = 'md5hash', api_key: apiKey }, nowMs }) {
    if (typeof secret !== 'string') return 'settings.signature_secret is not set';
    const { sig, ...fields } = fieldsOf(request);
    if (sig === undefined) return problemOfToken(request, { secret, apiKey, nowMs });
    const names = Object.keys(fields).sort();
    const text = names.map((name) => `&${name}=${fields[name]!.replace(/[&=]/g, '_')}`).join('');
    const algorithm = VONAGE_SIGNATURE_METHODS.find((one) => one === method) ?? 'md5hash';
    const expected =
      algorithm === 'md5hash' ? createHash('md5').update(`${text}${secret}`).digest('hex') : hmacOf(algorithm, secret, [text], 'hex');
    if (!isEqual(expected, sig.toLowerCase())) return 'Its signature is wrong';
    return isWithin(instantOf(fields.timestamp, Number.NaN), nowMs, AGE_MS_MAX) ? undefined : 'Its time is more than 5 minutes ago';
  },
  parse(request, nowMs) {
    const { messageId, status, 'err-code': code, 'client-ref': delivery, msisdn: address, 'message-timestamp': time } = fieldsOf(request);
    const outcome = outcomeOf(status, code);
    if (!outcome || messageId === undefined) return [];
    const details = outcome.kind === 'DELIVERED' ? undefined : `${status} (${code ?? 'without a code'})`;
    // In UTC, without saying so: `2026-03-01 10:00:00 +0000` in newer ones.
    const atMs = instantOf(time === undefined || /[+Z]/.test(time) ? time : `${time}Z`, nowMs);
    return [{ eventId: `${messageId} ${status}`, atMs, delivery, reference: messageId, address, details, code, ...outcome }];
  },
};

/** Of a request whose body is signed by the token of its header. */
function problemOfToken({ headers, body }: CallbackRequest, { secret, apiKey, nowMs }: { secret: string; apiKey: unknown; nowMs: number }) {
  const [, token] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
  if (token === undefined) return 'It is not signed';
  const claims = claimsOf<Claims>(token, nowMs, { key: secret, algorithms: ['HS256'], requiredClaims: ['iat', 'payload_hash'] });
  if (!claims || claims.api_key !== apiKey) return 'Its signature is wrong';
  if (body.length === 0 || !isHashOf(claims.payload_hash, body)) return 'Its body is another one than the signed one';
  return isWithin(instantOf(claims.iat, Number.NaN), nowMs, AGE_MS_MAX) ? undefined : 'Its time is more than 5 minutes ago';
}

interface Claims {
  readonly iat?: unknown;
  readonly api_key?: unknown;
  readonly payload_hash?: unknown;
}

function outcomeOf(status: string | undefined, code = ''): Pick<ProviderEvent, 'kind' | 'reasonCode'> | undefined {
  switch (status) {
    case 'delivered':
      return { kind: 'DELIVERED' };
    case 'failed':
    case 'rejected':
    case 'expired':
    case 'unknown':
      if (HARD.has(code)) return { kind: 'BOUNCED', reasonCode: 'HARD' };
      return SOFT.has(code) ? { kind: 'BOUNCED', reasonCode: 'SOFT' } : { kind: 'FAILED' };
    default:
      return undefined;
  }
}
