import type { VendorOperation } from '../vendor/operation';

const FAILURE = {
  type: 'object',
  properties: {
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { code: { type: 'integer' }, description: { type: 'string' }, parameter: { type: ['string', 'null'] } },
      },
    },
  },
};

/** The operations of MessageBird's REST interface that are called. */
export const MESSAGEBIRD_OPERATIONS = {
  send: {
    method: 'POST',
    path: '/messages',
    request: {
      type: 'object',
      required: ['originator', 'recipients', 'body', 'datacoding', 'reference'],
      additionalProperties: false,
      properties: {
        originator: { type: 'string', minLength: 1 },
        recipients: { type: 'array', minItems: 1, maxItems: 1, items: { type: 'string', pattern: '^[0-9]{5,15}$' } },
        body: { type: 'string', minLength: 1, maxLength: 1_377 },
        datacoding: { enum: ['plain', 'unicode'] },
        reference: { type: 'string', minLength: 1 },
        validity: { type: 'integer', minimum: 1 },
        reportUrl: { type: 'string', pattern: '^https?://' },
      },
    },
    answer: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    failure: FAILURE,
  },
  balance: {
    method: 'GET',
    path: '/balance',
    answer: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
    failure: FAILURE,
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
