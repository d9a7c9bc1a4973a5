import type { VendorOperation } from '../vendor/operation';

const TEXTS = { type: 'object', required: ['en'], additionalProperties: { type: 'string' } };
const FAILURE = { type: 'object', properties: { errors: {} } };
const FILE = 'onesignal/openapi.notifications.json#/paths/~1notifications';

/** The operations of OneSignal's interface that are called. */
export const ONESIGNAL_OPERATIONS = {
  /** Answers 200 also where nothing was created: then `id` is empty, and `errors` says why. */
  send: {
    method: 'POST',
    path: '/notifications',
    request: {
      type: 'object',
      required: ['app_id', 'include_subscription_ids', 'contents', 'idempotency_key'],
      additionalProperties: false,
      properties: {
        app_id: { type: 'string', minLength: 1 },
        include_subscription_ids: { type: 'array', minItems: 1, maxItems: 2_000, items: { type: 'string' } },
        headings: TEXTS,
        contents: TEXTS,
        data: { type: 'object' },
        url: { type: 'string' },
        idempotency_key: { type: 'string', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' },
      },
    },
    answer: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, errors: {} } },
    failure: FAILURE,
    described: `${FILE}/post`,
  },
  /** The newest notifications of the application. */
  list: {
    method: 'GET',
    path: '/notifications',
    request: {
      type: 'object',
      required: ['app_id', 'limit'],
      additionalProperties: false,
      properties: { app_id: { type: 'string' }, limit: { const: '1' } },
    },
    answer: { type: 'object', properties: { notifications: { type: 'array' } } },
    failure: FAILURE,
    described: `${FILE}/get`,
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
