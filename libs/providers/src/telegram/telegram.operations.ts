import type { VendorOperation } from '../vendor/operation';

const FAILURE = {
  type: 'object',
  properties: {
    ok: { const: false },
    error_code: { type: 'integer' },
    description: { type: 'string' },
    parameters: { type: 'object', properties: { retry_after: { type: 'integer' }, migrate_to_chat_id: { type: 'integer' } } },
  },
};

/** The methods of Telegram's interface for bots that are called. The token is in the path. */
export const TELEGRAM_OPERATIONS = {
  send: {
    method: 'POST',
    path: '/bot{token}/sendMessage',
    request: {
      type: 'object',
      required: ['chat_id', 'text'],
      additionalProperties: false,
      properties: {
        chat_id: { type: ['string', 'integer'] },
        text: { type: 'string', minLength: 1, maxLength: 4_096 },
        parse_mode: { type: 'string' },
        disable_notification: { type: 'boolean' },
      },
    },
    answer: {
      type: 'object',
      required: ['ok'],
      properties: {
        ok: { type: 'boolean' },
        result: {
          type: 'object',
          properties: { message_id: { type: 'integer' }, chat: { type: 'object', properties: { id: { type: 'integer' } } } },
        },
      },
    },
    failure: FAILURE,
    described: 'telegram/api.send.json#/methods/sendMessage',
  },
  /** The bot itself. */
  me: {
    method: 'GET',
    path: '/bot{token}/getMe',
    answer: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } },
    failure: FAILURE,
    described: 'telegram/api.send.json#/methods/getMe',
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
