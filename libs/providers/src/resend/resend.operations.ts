import type { VendorOperation } from '../vendor/operation';

const TEXT = { type: 'string', minLength: 1 };
const MAILBOXES = { type: 'array', minItems: 1, maxItems: 50, items: TEXT };

const FAILURE = {
  type: 'object',
  properties: { statusCode: { type: 'integer' }, name: { type: 'string' }, message: { type: 'string' } },
};

/** The operations of Resend's interface that are called. */
export const RESEND_OPERATIONS = {
  send: {
    method: 'POST',
    path: '/emails',
    request: {
      type: 'object',
      required: ['from', 'to', 'subject', 'tags'],
      anyOf: [{ required: ['text'] }, { required: ['html'] }],
      additionalProperties: false,
      properties: {
        from: TEXT,
        to: MAILBOXES,
        cc: MAILBOXES,
        bcc: MAILBOXES,
        reply_to: MAILBOXES,
        subject: { type: 'string' },
        text: { type: 'string' },
        html: { type: 'string' },
        headers: { type: 'object', additionalProperties: { type: 'string' } },
        attachments: {
          type: 'array',
          items: {
            type: 'object',
            required: ['filename', 'content'],
            additionalProperties: false,
            properties: { filename: TEXT, content: { type: 'string' }, content_type: TEXT },
          },
        },
        tags: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'value'],
            additionalProperties: false,
            properties: {
              name: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,256}$' },
              value: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,256}$' },
            },
          },
        },
      },
    },
    answer: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    failure: FAILURE,
    described: 'resend/resend.emails.json#/paths/~1emails/post',
  },
  /** The domains of the account; a key for sending alone may not read them, which proves it as well. */
  domains: {
    method: 'GET',
    path: '/domains',
    answer: { type: 'object', required: ['data'], properties: { data: { type: 'array' } } },
    failure: FAILURE,
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
