import type { VendorOperation } from '../vendor/operation';

const ADDRESS = {
  type: 'object',
  required: ['email'],
  additionalProperties: false,
  properties: { email: { type: 'string', maxLength: 320 }, name: { type: 'string', pattern: '^[^;,]*$' } },
};
const ADDRESSES = { type: 'array', minItems: 1, maxItems: 1_000, items: ADDRESS };
const TEXTS = { type: 'object', additionalProperties: { type: 'string' } };

const ERRORS = {
  type: 'object',
  properties: {
    errors: {
      type: 'array',
      items: { type: 'object', properties: { message: { type: 'string' }, field: { type: ['string', 'null'] } } },
    },
  },
};

/** The operations of SendGrid's v3 interface that are called. */
export const SENDGRID_OPERATIONS = {
  /** Answers 202 without a body; the id is in the header `X-Message-Id`. */
  send: {
    method: 'POST',
    path: '/v3/mail/send',
    request: {
      type: 'object',
      required: ['personalizations', 'from', 'subject', 'content'],
      additionalProperties: false,
      properties: {
        personalizations: {
          type: 'array',
          minItems: 1,
          maxItems: 1,
          items: {
            type: 'object',
            required: ['to'],
            additionalProperties: false,
            properties: { to: ADDRESSES, cc: ADDRESSES, bcc: ADDRESSES, custom_args: TEXTS },
          },
        },
        from: ADDRESS,
        reply_to_list: ADDRESSES,
        subject: { type: 'string', minLength: 1 },
        content: {
          type: 'array',
          minItems: 1,
          maxItems: 2,
          items: {
            type: 'object',
            required: ['type', 'value'],
            additionalProperties: false,
            properties: { type: { enum: ['text/plain', 'text/html'] }, value: { type: 'string', minLength: 1 } },
          },
        },
        attachments: {
          type: 'array',
          items: {
            type: 'object',
            required: ['content', 'filename'],
            additionalProperties: false,
            properties: {
              content: { type: 'string', minLength: 1 },
              filename: { type: 'string', pattern: '^[ -~]+$' },
              type: { type: 'string', minLength: 1 },
              disposition: { enum: ['attachment', 'inline'] },
            },
          },
        },
        headers: TEXTS,
      },
    },
    failure: ERRORS,
    described: 'sendgrid/tsg_mail_v3.json#/paths/~1v3~1mail~1send/post',
  },
  /** The permissions of the key. */
  scopes: {
    method: 'GET',
    path: '/v3/scopes',
    answer: { type: 'object', required: ['scopes'], properties: { scopes: { type: 'array', items: { type: 'string' } } } },
    failure: ERRORS,
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
