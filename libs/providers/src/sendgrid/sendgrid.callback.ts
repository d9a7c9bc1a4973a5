import { HOUR_MS } from '@tidings/contracts/core/duration';
import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { instantOf, jsonBody } from '../callback/bodies';
import type { ProviderEvent, VendorCallback } from '../callback/callback';
import { isSignedByKey, isWithin } from '../callback/signatures';
import { objectsIn } from '../vendor/objects-in';

const SIGNATURE = 'x-twilio-email-event-webhook-signature';
const TIMESTAMP = 'x-twilio-email-event-webhook-timestamp';
/** It retries for a day, perhaps with the signature of the first attempt. */
const AGE_MS_MAX = 25 * HOUR_MS;

/** The Event Webhook: a list of events in each request. */
export const sendgridCallback: VendorCallback = {
  methods: ['POST'],
  setup: `_Settings_, _Mail Settings_, _Event Webhooks_, _Create new webhook_: give it the address, choose the events of
deliveries and engagement, switch _Signed Event Webhook_ on, and copy its verification key to \`webhook_public_key\`.`,
  settings: ['webhook_public_key'],
  reports: ['DELIVERED', 'BOUNCED', 'FAILED', 'OPENED', 'CLICKED', 'COMPLAINED', 'UNSUBSCRIBED'],
  verify({ headers, body }, { settings: { webhook_public_key: key }, nowMs }) {
    if (typeof key !== 'string') return 'settings.webhook_public_key is not set';
    const { [SIGNATURE]: signature, [TIMESTAMP]: timestamp } = headers;
    if (signature === undefined || timestamp === undefined) return 'It is not signed';
    if (!isSignedByKey(key, signature, [timestamp, body])) return 'Its signature is wrong';
    return isWithin(instantOf(timestamp, Number.NaN), nowMs, AGE_MS_MAX) ? undefined : 'Its time is more than 25 hours ago';
  },
  parse: (request, nowMs) => objectsIn(jsonBody(request)).flatMap((event) => eventsOf(event, nowMs)),
};

function eventsOf(event: JsonObject, nowMs: number): ProviderEvent[] {
  const { sg_event_id, sg_message_id, tidings_delivery, email, timestamp, reason, status, url } = event;
  if (typeof sg_event_id !== 'string') return [];
  const outcome = outcomeOf(event);
  if (!outcome) return [];
  const common = {
    eventId: sg_event_id,
    atMs: instantOf(timestamp, nowMs),
    delivery: tidings_delivery,
    // The rest is of the way through its servers.
    reference: typeof sg_message_id === 'string' ? sg_message_id.split('.')[0] : undefined,
    address: email,
  };
  return [{ ...common, ...(outcome.kind === 'CLICKED' ? { url } : { details: reason, code: status }), ...outcome }];
}

function outcomeOf({
  event,
  type,
  reason,
  sg_machine_open,
}: JsonObject): Pick<ProviderEvent, 'kind' | 'reasonCode' | 'optedOut'> | undefined {
  switch (event) {
    case 'delivered':
      return { kind: 'DELIVERED' };
    case 'bounce':
      return { kind: 'BOUNCED', reasonCode: type === 'blocked' ? 'SOFT' : 'HARD' };
    case 'dropped':
      if (/^(bounced address|invalid)/i.test(String(reason))) return { kind: 'BOUNCED', reasonCode: 'HARD' };
      return /^unsubscribed address/i.test(String(reason)) ? { kind: 'FAILED', optedOut: true } : { kind: 'FAILED' };
    case 'open':
      // Opened by a program that loads every image before the recipient sees the mail.
      return sg_machine_open === true ? undefined : { kind: 'OPENED' };
    case 'click':
      return { kind: 'CLICKED' };
    case 'spamreport':
      return { kind: 'COMPLAINED' };
    case 'unsubscribe':
    case 'group_unsubscribe':
      return { kind: 'UNSUBSCRIBED' };
    default:
      return undefined;
  }
}
