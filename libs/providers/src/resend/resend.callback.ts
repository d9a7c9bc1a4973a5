import { MINUTE_MS } from '@tidings/contracts/core/duration';
import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { instantOf, objectBody, objectIn } from '../callback/bodies';
import type { ProviderEvent, VendorCallback } from '../callback/callback';
import { hmacOf, isEqual, isWithin } from '../callback/signatures';

/** Each retry has a time of its own. */
const AGE_MS_MAX = 5 * MINUTE_MS;
const SECRET_PREFIX = /^whsec_/;

/** The webhooks, signed as Standard Webhooks are. An event never names the address that it is about. */
export const resendCallback: VendorCallback = {
  methods: ['POST'],
  setup: `_Webhooks_, _Add webhook_: give it the address, choose the events of \`email\`, and copy the _signing secret_
(\`whsec_…\`) to \`webhook_secret\`.`,
  settings: ['webhook_secret'],
  reports: ['DELIVERED', 'BOUNCED', 'FAILED', 'OPENED', 'CLICKED', 'COMPLAINED'],
  verify({ headers, body }, { settings: { webhook_secret: secret }, nowMs }) {
    if (typeof secret !== 'string') return 'settings.webhook_secret is not set';
    const { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': given } = headers;
    if (id === undefined || timestamp === undefined || given === undefined) return 'It is not signed';
    const key = Buffer.from(secret.replace(SECRET_PREFIX, ''), 'base64');
    const expected = `v1,${hmacOf('sha256', key, [`${id}.${timestamp}.`, body], 'base64')}`;
    // Several while the secret is replaced.
    if (!given.split(' ').some((one) => isEqual(one, expected))) return 'Its signature is wrong';
    return isWithin(instantOf(timestamp, Number.NaN), nowMs, AGE_MS_MAX) ? undefined : 'Its time is more than 5 minutes ago';
  },
  parse(request, nowMs) {
    const { type, created_at, data: given } = objectBody(request);
    const data = objectIn(given);
    const outcome = outcomeOf(type, data);
    const eventId = request.headers['svix-id'];
    if (!outcome || eventId === undefined) return [];
    return [{ eventId, atMs: instantOf(created_at, nowMs), delivery: deliveryIn(data.tags), reference: data.email_id, ...outcome }];
  },
};

type OutcomeOfMail = Pick<ProviderEvent, 'kind' | 'reasonCode' | 'optedOut' | 'details' | 'code' | 'url'>;

function outcomeOf(type: unknown, { bounce, click, failed, suppressed }: JsonObject): OutcomeOfMail | undefined {
  switch (type) {
    case 'email.delivered':
      return { kind: 'DELIVERED' };
    case 'email.bounced': {
      const { type: kind, message, subType } = objectIn(bounce);
      return { kind: 'BOUNCED', reasonCode: kind === 'Permanent' ? 'HARD' : 'SOFT', details: message, code: subType };
    }
    case 'email.failed':
      return { kind: 'FAILED', details: objectIn(failed).reason };
    case 'email.suppressed': {
      const { message: details, reason: code } = objectIn(suppressed);
      if (code === 'previous_complaint') return { kind: 'FAILED', optedOut: true, details, code };
      return { kind: 'BOUNCED', reasonCode: 'HARD', details, code };
    }
    case 'email.complained':
      return { kind: 'COMPLAINED' };
    case 'email.opened':
      return { kind: 'OPENED' };
    case 'email.clicked':
      return { kind: 'CLICKED', url: objectIn(click).link };
    default:
      return undefined;
  }
}

/** Tags are an object; older events have a list of names and values. */
function deliveryIn(tags: unknown): unknown {
  if (!Array.isArray(tags)) return objectIn(tags).tidings_delivery;
  return (tags as unknown[]).map(objectIn).find(({ name }) => name === 'tidings_delivery')?.value;
}
