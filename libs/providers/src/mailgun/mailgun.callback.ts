import { HOUR_MS } from '@tidings/contracts/core/duration';
import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { instantOf, objectBody, objectIn } from '../callback/bodies';
import type { ProviderEvent, VendorCallback } from '../callback/callback';
import { hmacOf, isEqual, isWithin } from '../callback/signatures';

/** It retries for 8 hours. */
const AGE_MS_MAX = 9 * HOUR_MS;

/** The webhooks of a domain or an account. The signature covers a time and a token, not the event: the secret address does the rest. */
export const mailgunCallback: VendorCallback = {
  methods: ['POST'],
  setup: `_Send_, _Sending_, _Webhooks_: give the address to the events _Delivered_, _Permanent Failure_, _Spam Complaints_,
_Unsubscribes_, _Opened_ and _Clicked_, and copy the _HTTP webhook signing key_ to \`webhook_signing_key\`.`,
  settings: ['webhook_signing_key'],
  reports: ['DELIVERED', 'BOUNCED', 'FAILED', 'OPENED', 'CLICKED', 'COMPLAINED', 'UNSUBSCRIBED'],
  verify(request, { settings: { webhook_signing_key: key }, nowMs }) {
    if (typeof key !== 'string') return 'settings.webhook_signing_key is not set';
    const { signature, 'parent-signature': parent } = objectBody(request);
    // Events of a subaccount are signed with the key of the account above it as well.
    const signed = [signature, parent].map(objectIn).find((one) => isSigned(one, key));
    if (!signed) return 'Its signature is wrong';
    return isWithin(instantOf(signed.timestamp, Number.NaN), nowMs, AGE_MS_MAX) ? undefined : 'Its time is more than 9 hours ago';
  },
  parse(request, nowMs) {
    const { signature, 'parent-signature': parent, 'event-data': data } = objectBody(request);
    const token = objectIn(signature).token ?? objectIn(parent).token;
    const event = objectIn(data);
    const outcome = outcomeOf(event);
    if (!outcome || typeof token !== 'string') return [];
    const { timestamp, recipient, message, url, reason, 'user-variables': variables, 'delivery-status': status } = event;
    const { code, message: words, description } = objectIn(status);
    const common = {
      eventId: token,
      atMs: instantOf(timestamp, nowMs),
      delivery: objectIn(variables).tidings_delivery,
      reference: objectIn(objectIn(message).headers)['message-id'],
      address: recipient,
    };
    return [{ ...common, ...(outcome.kind === 'CLICKED' ? { url } : { details: words || description || reason, code }), ...outcome }];
  },
};

function isSigned({ timestamp, token, signature }: JsonObject, key: string) {
  if (typeof token !== 'string' || typeof signature !== 'string') return false;
  return isEqual(hmacOf('sha256', key, [String(timestamp), token], 'hex'), signature.toLowerCase());
}

function outcomeOf({ event, severity, reason }: JsonObject): Pick<ProviderEvent, 'kind' | 'reasonCode' | 'optedOut'> | undefined {
  switch (event) {
    case 'delivered':
      return { kind: 'DELIVERED' };
    case 'failed':
      // It tries again after a temporary one.
      if (severity !== 'permanent') return undefined;
      if (reason === 'suppress-unsubscribe') return { kind: 'FAILED', optedOut: true };
      return reason === 'suppress-complaint' ? { kind: 'FAILED' } : { kind: 'BOUNCED', reasonCode: 'HARD' };
    case 'rejected':
      return { kind: 'FAILED' };
    case 'opened':
      return { kind: 'OPENED' };
    case 'clicked':
      return { kind: 'CLICKED' };
    case 'complained':
      return { kind: 'COMPLAINED' };
    case 'unsubscribed':
      return { kind: 'UNSUBSCRIBED' };
    default:
      return undefined;
  }
}
