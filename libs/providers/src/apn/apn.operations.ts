import type { VendorOperation } from '../vendor/operation';

const TEXT = { type: 'string' } as const;

/** The operations of the Apple Push Notification service that are called. */
export const APN_OPERATIONS = {
  /** Sends one message to one device. Apple publishes no description of it. */
  send: {
    method: 'POST',
    path: '/3/device/{token}',
    isOfDevice: true,
    request: {
      type: 'object',
      required: ['aps'],
      properties: {
        aps: {
          type: 'object',
          properties: {
            alert: { type: 'object', properties: { title: TEXT, subtitle: TEXT, body: TEXT } },
            badge: { type: 'integer', minimum: 0 },
            sound: { type: ['string', 'object'] },
            category: TEXT,
            'thread-id': TEXT,
            'content-available': { const: 1 },
            'mutable-content': { const: 1 },
          },
        },
      },
    },
    failure: { type: 'object', properties: { reason: TEXT, timestamp: { type: 'integer' } } },
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
