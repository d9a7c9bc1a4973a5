import { fieldsOf, instantOf } from '../callback/bodies';
import type { ProviderEvent, VendorCallback } from '../callback/callback';
import { claimsOf, isHashOf } from '../callback/signatures';

const ALGORITHMS = ['HS256', 'HS384', 'HS512'] as const;
const CLOCK_TOLERANCE_MS = 1_000;
/** Error code of a number that does not exist. */
const UNKNOWN_SUBSCRIBER = '1';

interface Claims {
  readonly url_hash?: unknown;
  readonly payload_hash?: unknown;
}

/** Status reports; each message names the address. The report is in the query, or in the form or JSON of a POST. */
export const messagebirdCallback: VendorCallback = {
  methods: ['GET', 'POST'],
  setup: `Each message names the address. Copy the _signing key_ (_Developers_, _API settings_) to \`signing_key\`.`,
  settings: ['signing_key'],
  reports: ['DELIVERED', 'BOUNCED', 'FAILED'],
  verify({ headers, url, body }, { settings: { signing_key: key }, nowMs }) {
    if (typeof key !== 'string') return 'settings.signing_key is not set';
    const token = headers['messagebird-signature-jwt'];
    if (token === undefined) return 'It is not signed';
    const claims = claimsOf<Claims>(token, nowMs, {
      key,
      algorithms: [...ALGORITHMS],
      allowedIss: 'MessageBird',
      requiredClaims: ['nbf', 'exp', 'jti'],
      clockTolerance: CLOCK_TOLERANCE_MS,
    });
    if (!claims) return 'Its signature is wrong, or not valid now';
    if (!isHashOf(claims.url_hash, url)) return 'It was signed for another address';
    if (body.length === 0 && claims.payload_hash === undefined) return undefined;
    return body.length > 0 && isHashOf(claims.payload_hash, body) ? undefined : 'Its body is another one than the signed one';
  },
  parse(request, nowMs) {
    const fields = { ...Object.fromEntries(new URL(request.url).searchParams), ...(request.body.length > 0 && fieldsOf(request)) };
    const { id, reference, recipient, status, statusDatetime: time, statusErrorCode: code } = fields as Partial<Record<string, string>>;
    const outcome = outcomeOf(status, code);
    if (!outcome || id === undefined) return [];
    const details = outcome.kind === 'DELIVERED' ? undefined : `${status}${code ? ` (${code})` : ''}`;
    const atMs = instantOf(time, nowMs);
    return [{ eventId: `${id} ${status}`, atMs, delivery: reference, reference: id, address: recipient, details, code, ...outcome }];
  },
};

function outcomeOf(status: string | undefined, code: string | undefined): Pick<ProviderEvent, 'kind' | 'reasonCode'> | undefined {
  switch (status) {
    case 'delivered':
      return { kind: 'DELIVERED' };
    case 'expired':
      return { kind: 'BOUNCED', reasonCode: 'SOFT' };
    case 'delivery_failed':
      return code === UNKNOWN_SUBSCRIBER ? { kind: 'BOUNCED', reasonCode: 'HARD' } : { kind: 'FAILED' };
    default:
      return undefined;
  }
}
