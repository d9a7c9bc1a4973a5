import type { VendorOperation } from '../vendor/operation';

const FAILURE = {
  type: 'object',
  properties: { code: { type: 'integer' }, message: { type: 'string' }, status: { type: 'integer' }, more_info: { type: 'string' } },
};

/** The operations of Twilio's 2010-04-01 interface that are called. */
export const TWILIO_OPERATIONS = {
  send: {
    method: 'POST',
    path: '/2010-04-01/Accounts/{account_sid}/Messages.json',
    encoding: 'form',
    request: {
      type: 'object',
      required: ['To', 'Body'],
      oneOf: [{ required: ['From'] }, { required: ['MessagingServiceSid'] }],
      additionalProperties: false,
      properties: {
        To: { type: 'string', pattern: '^\\+?[0-9]{5,15}$' },
        Body: { type: 'string', minLength: 1, maxLength: 1_600 },
        From: { type: 'string', minLength: 1 },
        MessagingServiceSid: { type: 'string', pattern: '^MG[0-9a-fA-F]{32}$' },
        ValidityPeriod: { type: 'string', pattern: '^[0-9]{1,5}$' },
        StatusCallback: { type: 'string', pattern: '^https?://' },
      },
    },
    answer: {
      type: 'object',
      required: ['sid'],
      properties: { sid: { type: 'string' }, status: { type: 'string' }, num_segments: { type: 'string' } },
    },
    failure: FAILURE,
    described: 'twilio/twilio_api_v2010.messages.json#/paths/~12010-04-01~1Accounts~1{AccountSid}~1Messages.json/post',
  },
  /** Messages of the account: proves the credentials, and that they may use messages. */
  list: {
    method: 'GET',
    path: '/2010-04-01/Accounts/{account_sid}/Messages.json',
    request: { type: 'object', required: ['PageSize'], additionalProperties: false, properties: { PageSize: { const: '1' } } },
    answer: { type: 'object', required: ['messages'], properties: { messages: { type: 'array' } } },
    failure: FAILURE,
    described: 'twilio/twilio_api_v2010.messages.json#/paths/~12010-04-01~1Accounts~1{AccountSid}~1Messages.json/get',
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
