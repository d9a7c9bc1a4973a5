import type { VendorOperation } from '../vendor/operation';

const TEXT = { type: 'string', minLength: 1 };

/** The only call of PagerDuty's Events API v2. The routing key is in the body. */
export const PAGERDUTY_OPERATIONS = {
  send: {
    method: 'POST',
    path: '/v2/enqueue',
    request: {
      type: 'object',
      required: ['routing_key', 'event_action', 'dedup_key'],
      additionalProperties: false,
      properties: {
        routing_key: TEXT,
        event_action: { enum: ['trigger', 'acknowledge', 'resolve'] },
        dedup_key: { type: 'string', minLength: 1, maxLength: 255 },
        payload: {
          type: 'object',
          required: ['summary', 'source', 'severity'],
          additionalProperties: false,
          properties: {
            summary: { type: 'string', minLength: 1, maxLength: 1_024 },
            source: TEXT,
            severity: { enum: ['critical', 'error', 'warning', 'info'] },
            custom_details: { type: 'object' },
          },
        },
      },
      if: { properties: { event_action: { const: 'trigger' } } },
      then: { required: ['payload'] },
    },
    answer: { type: 'object', properties: { status: { type: 'string' }, message: { type: 'string' }, dedup_key: { type: 'string' } } },
    failure: {
      type: 'object',
      properties: { status: { type: 'string' }, message: { type: 'string' }, errors: { type: 'array', items: { type: 'string' } } },
    },
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
