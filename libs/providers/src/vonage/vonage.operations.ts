import type { VendorOperation } from '../vendor/operation';

/** The operations of Vonage's SMS and account interfaces that are called. */
export const VONAGE_OPERATIONS = {
  /** Answers 200 also where it refuses: each part of the text has a status, `0` for accepted. */
  send: {
    method: 'POST',
    path: '/sms/{format}',
    encoding: 'form',
    request: {
      type: 'object',
      required: ['api_key', 'api_secret', 'from', 'to', 'text', 'type', 'client-ref'],
      additionalProperties: false,
      properties: {
        api_key: { type: 'string', minLength: 1 },
        api_secret: { type: 'string', minLength: 1 },
        from: { type: 'string', minLength: 1 },
        to: { type: 'string', pattern: '^[0-9]{5,15}$' },
        text: { type: 'string', minLength: 1 },
        type: { enum: ['text', 'unicode'] },
        'client-ref': { type: 'string', maxLength: 40 },
        ttl: { type: 'string', pattern: '^[0-9]{5,9}$' },
        callback: { type: 'string', pattern: '^https?://' },
      },
    },
    answer: {
      type: 'object',
      required: ['messages'],
      properties: {
        messages: {
          type: 'array',
          items: {
            type: 'object',
            required: ['status'],
            properties: { status: { type: 'string' }, 'message-id': { type: 'string' }, 'error-text': { type: 'string' } },
          },
        },
      },
    },
    described: 'vonage/sms.yml#/paths/~1{format}/post',
  },
  balance: {
    method: 'GET',
    path: '/account/get-balance',
    answer: { type: 'object', required: ['value'], properties: { value: { type: 'number' } } },
    failure: { type: 'object', properties: { 'error-code': { type: 'string' }, 'error-code-label': { type: 'string' } } },
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
