import type { VendorOperation } from '../vendor/operation';

/** The only call: a message to the address of a workflow, which answers 202 without a body. */
export const WORKFLOWS_OPERATIONS = {
  send: {
    method: 'POST',
    path: '',
    request: {
      type: 'object',
      required: ['type', 'attachments'],
      additionalProperties: false,
      properties: {
        type: { const: 'message' },
        attachments: {
          type: 'array',
          minItems: 1,
          maxItems: 1,
          items: {
            type: 'object',
            required: ['contentType', 'contentUrl', 'content'],
            additionalProperties: false,
            properties: {
              contentType: { const: 'application/vnd.microsoft.card.adaptive' },
              contentUrl: { type: 'null' },
              content: { type: 'object', required: ['type', 'version', 'body'], properties: { type: { const: 'AdaptiveCard' } } },
            },
          },
        },
      },
    },
    failure: { type: 'object', properties: { error: { type: 'object', properties: { message: { type: 'string' } } } } },
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
