import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { problemOfToken } from '../credentials';
import { bounced, failed, retry } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { smsSize } from '../vendor/limits';
import { objectsIn } from '../vendor/objects-in';
import { digitsOf } from '../vendor/phone-number';
import { defineVendor } from '../vendor/vendor';
import { messagebirdCallback } from './messagebird.callback';
import { MESSAGEBIRD_OPERATIONS } from './messagebird.operations';

/** Codes of errors: the access key, and the balance. */
const OF_CONFIGURATION = new Set<unknown>([2, 25]);
/** A parameter is missing or invalid. */
const OF_PARAMETER = new Set<unknown>([9, 10]);
const INTERNAL = 99;

/** MessageBird (now: Bird), by its REST interface. */
export const messagebirdKind = defineVendor({
  key: 'messagebird',
  channel: 'sms',
  title: 'MessageBird',
  description: 'Delivers SMS through the REST interface of MessageBird, now Bird',
  setup: `1. Make a live access key in the dashboard of MessageBird: _Developers_, _API access_, _Add access key_. Keys of Bird's
   newer interface do not work here.
2. Buy a number, or use a name of up to 11 letters and digits where the country allows it.

Numbers of recipients have the country code. A long text is sent in several parts, each charged. Each message has the
\`reference\` of its delivery: the id of the message and the number of its route.`,
  example: { access_key: '…', originator: 'Shop' },
  fields: {
    access_key: { type: 'string', required: true, lengthMax: 128, secret: true },
    originator: { type: 'string', required: true, lengthMax: 17 },
    validity_period: { type: 'number', required: false, min: 1, max: 604_800 },
    signing_key: { type: 'string', required: false, lengthMax: 256, secret: true },
  },
  about: {
    access_key: 'live access key',
    originator: 'the sender: a number with its country code, or a name',
    validity_period: 'seconds after which MessageBird drops what it could not deliver yet',
    signing_key: 'key that signs the status reports',
  },
  callback: messagebirdCallback,
  overridable: ['originator'],
  check: ({ access_key }) => [problemOfToken('access_key', access_key)],
  baseUrl: 'https://rest.messagebird.com',
  operations: MESSAGEBIRD_OPERATIONS,
  limits: { segments: 9 },
  credentials: ({ access_key }) => ({ authorization: `AccessKey ${access_key}` }),
  request({ rendered, recipient, attempt, callbackUrl }, { originator, validity_period }) {
    const { text } = rendered.sms;
    return {
      operation: MESSAGEBIRD_OPERATIONS.send,
      body: {
        originator,
        recipients: [digitsOf(recipient.phone_number)],
        body: text,
        datacoding: smsSize(text).encoding === 'GSM-7' ? 'plain' : 'unicode',
        reference: attempt.idempotencyKey,
        validity: validity_period,
        reportUrl: callbackUrl,
      },
    };
  },
  words: (json) => objectsIn(json.errors).map(({ description, code }) => `${String(description)} (${String(code)})`)[0],
  read(answer) {
    const { json, error, retryAfterMs } = answer;
    if (isSuccess(answer)) return accepted(json.id, false);
    const errors = objectsIn(json.errors);
    if (errors.some(({ code }) => OF_CONFIGURATION.has(code))) return failed(error, 'configuration');
    const isOfRecipient = ({ code, parameter }: JsonObject) => OF_PARAMETER.has(code) && /^recipients?$/.test(String(parameter));
    if (errors.some(isOfRecipient)) return bounced(error, 'HARD');
    return errors.some(({ code }) => code === INTERNAL) ? retry(error, { retryAfterMs, outage: true }) : undefined;
  },
  test: { request: () => ({ operation: MESSAGEBIRD_OPERATIONS.balance }) },
});
