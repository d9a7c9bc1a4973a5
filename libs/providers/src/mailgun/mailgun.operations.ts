import type { VendorOperation } from '../vendor/operation';

const TEXT = { type: 'string', minLength: 1 };
/** A field once or several times. */
const TEXTS = { type: ['string', 'array'], items: { type: 'string' } };

const FAILURE = { type: 'object', properties: { message: { type: 'string' } } };

/** The operations of Mailgun's interface that are called. */
export const MAILGUN_OPERATIONS = {
  send: {
    method: 'POST',
    path: '/v3/{domain}/messages',
    encoding: 'multipart',
    request: {
      type: 'object',
      required: ['from', 'to', 'subject', 'v:tidings_delivery'],
      anyOf: [{ required: ['text'] }, { required: ['html'] }],
      additionalProperties: false,
      properties: {
        from: TEXT,
        to: TEXT,
        cc: TEXTS,
        bcc: TEXTS,
        subject: { type: 'string' },
        text: { type: 'string' },
        html: { type: 'string' },
        attachment: TEXTS,
        'o:tag': TEXTS,
      },
      // Headers of the mail, and variables that the reports about it repeat.
      patternProperties: { '^[hv]:[\\w-]+$': TEXT },
    },
    answer: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, message: { type: 'string' } } },
    failure: FAILURE,
    described: 'mailgun/openapi.messages.json#/paths/~1v3~1{domain_name}~1messages/post',
  },
  /** A message without sender and recipient: credentials that may send get 400. Others of its kind need a key for the whole account. */
  check: {
    method: 'POST',
    path: '/v3/{domain}/messages',
    encoding: 'multipart',
    request: { type: 'object', required: ['o:testmode'], additionalProperties: false, properties: { 'o:testmode': { const: 'yes' } } },
    failure: FAILURE,
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
