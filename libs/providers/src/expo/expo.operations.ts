import type { VendorOperation } from '../vendor/operation';

const FAILURE = {
  type: 'object',
  properties: {
    errors: { type: 'array', items: { type: 'object', properties: { code: { type: 'string' }, message: { type: 'string' } } } },
  },
};

/** The operations of Expo's push service that are called. */
export const EXPO_OPERATIONS = {
  /** One message; each is answered with a ticket. */
  send: {
    method: 'POST',
    path: '/push/send',
    request: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        required: ['to'],
        additionalProperties: false,
        properties: {
          to: { type: 'string', minLength: 1 },
          title: { type: 'string' },
          subtitle: { type: 'string' },
          body: { type: 'string' },
          data: { type: 'object' },
          sound: { type: ['string', 'null'] },
          ttl: { type: 'integer' },
          expiration: { type: 'integer' },
          priority: { enum: ['default', 'normal', 'high'] },
          badge: { type: 'integer' },
          channelId: { type: 'string' },
          categoryId: { type: 'string' },
          mutableContent: { type: 'boolean' },
        },
      },
    },
    answer: {
      type: 'object',
      required: ['data'],
      properties: {
        data: {
          type: 'array',
          items: {
            type: 'object',
            required: ['status'],
            properties: {
              status: { enum: ['ok', 'error'] },
              id: { type: 'string' },
              message: { type: 'string' },
              details: { type: 'object' },
            },
          },
        },
      },
    },
    failure: FAILURE,
  },
  /** What became of earlier tickets. */
  receipts: {
    method: 'POST',
    path: '/push/getReceipts',
    request: {
      type: 'object',
      required: ['ids'],
      additionalProperties: false,
      properties: { ids: { type: 'array', minItems: 1, maxItems: 300, items: { type: 'string' } } },
    },
    answer: { type: 'object', required: ['data'], properties: { data: { type: 'object' } } },
    failure: FAILURE,
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
