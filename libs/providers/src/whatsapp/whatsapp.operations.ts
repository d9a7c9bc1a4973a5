import type { VendorOperation } from '../vendor/operation';

const FAILURE = {
  type: 'object',
  properties: {
    error: { type: 'object', properties: { code: { type: 'integer' }, message: { type: 'string' }, type: { type: 'string' } } },
  },
};
const TEXT = {
  type: 'object',
  required: ['body'],
  additionalProperties: false,
  properties: { body: { type: 'string', minLength: 1, maxLength: 4_096 } },
};
const TEMPLATE = {
  type: 'object',
  required: ['name', 'language'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1 },
    language: { type: 'object', required: ['code'], additionalProperties: false, properties: { code: { type: 'string', minLength: 2 } } },
    components: { type: 'array', items: { type: 'object', required: ['type'] } },
  },
};

/** The operations of the WhatsApp Business Cloud API that are called. */
export const WHATSAPP_OPERATIONS = {
  send: {
    method: 'POST',
    path: '/{version}/{phone_number_id}/messages',
    request: {
      type: 'object',
      required: ['messaging_product', 'recipient_type', 'to', 'type'],
      additionalProperties: false,
      properties: {
        messaging_product: { const: 'whatsapp' },
        recipient_type: { const: 'individual' },
        to: { type: 'string', pattern: '^\\+?\\d{5,15}$' },
        type: { enum: ['text', 'template'] },
        text: TEXT,
        template: TEMPLATE,
      },
      oneOf: [
        { required: ['text'], properties: { type: { const: 'text' } } },
        { required: ['template'], properties: { type: { const: 'template' } } },
      ],
    },
    answer: {
      type: 'object',
      required: ['messages'],
      properties: { messages: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } } },
    },
    failure: FAILURE,
    described: 'whatsapp/business-messaging-api_v23.0.messages.json#/paths/~1{Version}~1{Phone-Number-ID}~1messages/post',
  },
  /** The number that sends. */
  number: {
    method: 'GET',
    path: '/{version}/{phone_number_id}',
    answer: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    failure: FAILURE,
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
