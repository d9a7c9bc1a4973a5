import { basicAuth } from '../credentials';
import { bounced, type Failed, failed, optedOut, type Retry, retry } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { withoutSeparators } from '../vendor/phone-number';
import { defineVendor } from '../vendor/vendor';
import { DELIVERY_PARAMETER, twilioCallback } from './twilio.callback';
import { TWILIO_OPERATIONS } from './twilio.operations';

/** Error codes with another meaning than that of their HTTP status. */
const BY_CODE: readonly (readonly [codes: readonly number[], outcome: (error: string) => Retry | Failed])[] = [
  // The number is none, cannot receive an SMS, or is a landline.
  [[21211, 21614, 21635], (error) => bounced(error, 'HARD')],
  // The recipient answered STOP.
  [[21610], optedOut],
  // The sender is no number of this account, or cannot send; a trial account sends to verified numbers alone.
  [[20003, 21212, 21606, 21608], (error) => failed(error, 'configuration')],
  // The country or the route to this number: others are reached.
  [[21408, 21612], (error) => failed(error, 'permanent')],
  // The queue of this sender is full.
  [[21611], (error) => retry(error)],
];

/** Twilio Programmable Messaging. */
export const twilioKind = defineVendor({
  key: 'twilio',
  channel: 'sms',
  title: 'Twilio',
  description: 'Delivers SMS through Twilio Programmable Messaging',
  setup: `1. Buy a number, or make a messaging service with a pool of senders: _Messaging_, _Services_.
2. Copy _Account SID_ and _Auth Token_ from the console's first page. Better, make a key of its own: _Account_,
   _API keys & tokens_, _Create API key_, type _Standard_; set \`api_key\` and \`api_key_secret\` instead of \`auth_token\`.

Numbers of recipients begin with a plus and the country code. A text has at most 1,600 characters; it is not shortened.`,
  example: { account_sid: 'AC…', auth_token: '…', messaging_service_sid: 'MG…' },
  fields: {
    account_sid: { type: 'string', required: true, lengthMax: 34 },
    auth_token: { type: 'string', required: false, lengthMax: 128, secret: true },
    api_key: { type: 'string', required: false, lengthMax: 34 },
    api_key_secret: { type: 'string', required: false, lengthMax: 128, secret: true },
    messaging_service_sid: { type: 'string', required: false, lengthMax: 34 },
    from: { type: 'string', required: false, lengthMax: 64 },
    validity_period: { type: 'number', required: false, min: 1, max: 36_000 },
  },
  about: {
    account_sid: 'the account, `AC…`',
    auth_token: 'its token, which also signs reports; to send, an API key does as well:',
    api_key: 'an API key, `SK…`',
    api_key_secret: 'the secret of the API key',
    messaging_service_sid: 'the messaging service that chooses the sender, `MG…`; or:',
    from: 'the sender: a number in E.164, a short code or an alphanumeric sender',
    validity_period: 'seconds after which Twilio drops what it could not send yet; default 36,000',
  },
  callback: twilioCallback,
  overridable: ['from'],
  check: ({ account_sid, auth_token, api_key, api_key_secret, messaging_service_sid, from }) => [
    account_sid !== undefined && !isSid('AC', account_sid) && ['account_sid', 'must be AC and 32 hexadecimal digits'],
    api_key !== undefined && !isSid('SK', api_key) && ['api_key', 'must be SK and 32 hexadecimal digits'],
    messaging_service_sid !== undefined &&
      !isSid('MG', messaging_service_sid) && ['messaging_service_sid', 'must be MG and 32 hexadecimal digits'],
    api_key === undefined && auth_token === undefined && ['auth_token', 'is required, or settings.api_key with settings.api_key_secret'],
    api_key !== undefined && api_key_secret === undefined && ['api_key_secret', 'is required beside settings.api_key'],
    api_key === undefined && api_key_secret !== undefined && ['api_key', 'is required beside settings.api_key_secret'],
    (from === undefined) === (messaging_service_sid === undefined) && ['from', 'or settings.messaging_service_sid is required, not both'],
  ],
  baseUrl: 'https://api.twilio.com',
  operations: TWILIO_OPERATIONS,
  limits: { textChars: 1_600 },
  credentials({ account_sid, auth_token, api_key, api_key_secret }) {
    const [user, password] = api_key === undefined ? [account_sid, auth_token] : [api_key, api_key_secret];
    return { authorization: basicAuth(user, password ?? '') };
  },
  request({ rendered, recipient, attempt, callbackUrl }, { account_sid, from, messaging_service_sid, validity_period }) {
    return {
      operation: TWILIO_OPERATIONS.send,
      parameters: { account_sid },
      body: {
        To: withoutSeparators(recipient.phone_number),
        Body: rendered.sms.text,
        ...(from === undefined ? { MessagingServiceSid: messaging_service_sid } : { From: from }),
        ...(validity_period !== undefined && { ValidityPeriod: String(validity_period) }),
        ...(callbackUrl !== undefined && {
          StatusCallback: `${callbackUrl}?${DELIVERY_PARAMETER}=${encodeURIComponent(attempt.idempotencyKey)}`,
        }),
      },
    };
  },
  words: ({ code, message }) => (typeof code === 'number' ? `${String(message)} (${code})` : message),
  read(answer) {
    if (isSuccess(answer)) return accepted(answer.json.sid, false);
    const { code } = answer.json;
    return BY_CODE.find(([codes]) => codes.includes(code as number))?.[1](answer.error);
  },
  test: { request: ({ account_sid }) => ({ operation: TWILIO_OPERATIONS.list, parameters: { account_sid }, query: { PageSize: '1' } }) },
});

function isSid(prefix: string, text: string) {
  return text.startsWith(prefix) && /^[A-Z]{2}[0-9a-fA-F]{32}$/.test(text);
}
