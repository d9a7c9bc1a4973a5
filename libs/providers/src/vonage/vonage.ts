import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { basicAuth } from '../credentials';
import { bounced, failed, type Outcome, retry } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { smsSize } from '../vendor/limits';
import { objectsIn } from '../vendor/objects-in';
import { digitsOf } from '../vendor/phone-number';
import { defineVendor, type VendorAnswer } from '../vendor/vendor';
import { VONAGE_SIGNATURE_METHODS, vonageCallback } from './vonage.callback';
import { VONAGE_OPERATIONS } from './vonage.operations';

const ACCEPTED = '0';
/** The vendor accepts longer references today; this is the documented length of the interface. */
const REFERENCE_LENGTH_MAX = 40;

/** Statuses of a part; others are permanent. */
const THROTTLED = new Set(['1', '10']);
const INTERNAL = '5';
const BARRED_NUMBER = '7';
/** The credentials, the account or its balance. */
const OF_CONFIGURATION = new Set(['4', '8', '9', '11', '14', '32']);

/** Vonage (before: Nexmo), by its SMS interface. */
export const vonageKind = defineVendor({
  key: 'vonage',
  channel: 'sms',
  title: 'Vonage',
  description: 'Delivers SMS through the SMS interface of Vonage',
  setup: `1. Copy _API key_ and _API secret_ from the first page of the dashboard.
2. Buy a number (_Numbers_, _Buy numbers_), or use a name of up to 11 letters and digits where the country allows it.

Numbers of recipients have the country code. A long text is sent in several parts, each charged; the message is accepted
once all parts are, and its \`reference\` has the id of the first and their number. Each message has the \`client-ref\` of
its delivery: the id of the message and the number of its route.`,
  example: { api_key: 'abcd1234', api_secret: '…', from: 'Shop' },
  fields: {
    api_key: { type: 'string', required: true, lengthMax: 64 },
    api_secret: { type: 'string', required: true, lengthMax: 128, secret: true },
    from: { type: 'string', required: true, lengthMax: 16 },
    validity_period: { type: 'number', required: false, min: 20, max: 604_800 },
    signature_secret: { type: 'string', required: false, lengthMax: 256, secret: true },
    signature_method: { type: 'enum', required: false, values: VONAGE_SIGNATURE_METHODS },
  },
  about: {
    api_key: 'key of the account',
    api_secret: 'secret of the account',
    from: 'the sender: a number with its country code, or a name',
    validity_period: 'seconds after which Vonage drops what it could not deliver yet; default 259,200',
    signature_secret: 'secret that signs the receipts of the account',
    signature_method: 'how it signs, default `md5hash`',
  },
  callback: vonageCallback,
  overridable: ['from'],
  baseUrl: 'https://rest.nexmo.com',
  operations: VONAGE_OPERATIONS,
  limits: { textChars: 3_200 },
  request({ rendered, recipient, attempt, callbackUrl }, { api_key, api_secret, from, validity_period }) {
    const { text } = rendered.sms;
    return {
      operation: VONAGE_OPERATIONS.send,
      parameters: { format: 'json' },
      body: {
        api_key,
        api_secret,
        from: digitsOfNumber(from),
        to: digitsOf(recipient.phone_number),
        text,
        type: smsSize(text).encoding === 'GSM-7' ? 'text' : 'unicode',
        'client-ref': attempt.idempotencyKey.slice(0, REFERENCE_LENGTH_MAX),
        ttl: validity_period === undefined ? undefined : String(validity_period * 1_000),
        callback: callbackUrl,
      },
    };
  },
  words(json) {
    const part = refusedPart(json);
    if (!part) return json['error-code-label'];
    const { status, 'error-text': text } = part;
    return typeof text === 'string' ? `${text} (${String(status)})` : `status ${String(status)}`;
  },
  read(answer) {
    const part = refusedPart(answer.json);
    if (part) return failureOf(String(part.status), answer);
    if (!isSuccess(answer)) return undefined;
    const parts = partsOf(answer.json);
    const outcome = accepted(parts[0]?.['message-id'], false);
    // Reports come for each part.
    return parts.length > 1 ? { ...outcome, reference: { ...outcome.reference, parts: String(parts.length) } } : outcome;
  },
  test: {
    request: ({ api_key, api_secret }) => ({
      operation: VONAGE_OPERATIONS.balance,
      headers: { authorization: basicAuth(api_key, api_secret) },
    }),
  },
});

/** The parts of the text, in order. */
function partsOf({ messages }: JsonObject) {
  return objectsIn(messages);
}

/** The first part that was not accepted: without it the text is not complete. */
function refusedPart(json: JsonObject) {
  return partsOf(json).find(({ status }) => status !== ACCEPTED);
}

function failureOf(status: string, { error, retryAfterMs }: VendorAnswer): Outcome {
  if (THROTTLED.has(status)) return retry(error, { retryAfterMs, outage: true });
  if (status === INTERNAL) return retry(error, { retryAfterMs });
  if (status === BARRED_NUMBER) return bounced(error, 'HARD');
  return failed(error, OF_CONFIGURATION.has(status) ? 'configuration' : 'permanent');
}

/** A sender that is a number goes without its plus; a name as it is. */
function digitsOfNumber(from: string) {
  return /^\+[\d ().\-/]+$/.test(from) ? digitsOf(from) : from;
}
