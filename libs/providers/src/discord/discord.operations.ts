import type { VendorOperation } from '../vendor/operation';

const ID = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
const FAILURE = {
  type: 'object',
  properties: { code: { type: 'integer' }, message: { type: 'string' }, retry_after: { type: 'number' }, global: { type: 'boolean' } },
};
const CONTENT = {
  content: { type: 'string', minLength: 1, maxLength: 2_000 },
  embeds: { type: 'array', maxItems: 10, items: { type: 'object' } },
  // No text of a message notifies people or roles.
  allowed_mentions: { type: 'object', required: ['parse'], properties: { parse: { type: 'array', maxItems: 0 } } },
};
const FILE = 'discord/openapi.messages.json#/paths';

/** The operations of Discord's interface, version 10, that are called. */
export const DISCORD_OPERATIONS = {
  send: {
    method: 'POST',
    path: '/channels/{channel_id}/messages',
    request: {
      type: 'object',
      required: ['content', 'allowed_mentions', 'nonce', 'enforce_nonce'],
      additionalProperties: false,
      properties: { ...CONTENT, nonce: { type: 'string', minLength: 1, maxLength: 25 }, enforce_nonce: { const: true } },
    },
    answer: ID,
    failure: FAILURE,
    described: `${FILE}/~1channels~1{channel_id}~1messages/post`,
  },
  /** The channel of direct messages with a user. */
  open: {
    method: 'POST',
    path: '/users/@me/channels',
    request: { type: 'object', required: ['recipient_id'], additionalProperties: false, properties: { recipient_id: { type: 'string' } } },
    answer: ID,
    failure: FAILURE,
    described: `${FILE}/~1users~1@me~1channels/post`,
  },
  /** The bot itself. */
  me: { method: 'GET', path: '/users/@me', answer: ID, failure: FAILURE, described: `${FILE}/~1users~1@me/get` },
  /** A webhook, whose whole address is given, with `?wait=true`: without it the answer has no message. */
  webhook: {
    method: 'POST',
    path: '/webhooks/{webhook_id}/{webhook_token}',
    request: { type: 'object', required: ['content', 'allowed_mentions'], additionalProperties: false, properties: CONTENT },
    answer: ID,
    failure: FAILURE,
    described: `${FILE}/~1webhooks~1{webhook_id}~1{webhook_token}/post`,
  },
  /** The webhook itself. */
  described: {
    method: 'GET',
    path: '/webhooks/{webhook_id}/{webhook_token}',
    answer: ID,
    failure: FAILURE,
    described: `${FILE}/~1webhooks~1{webhook_id}~1{webhook_token}/get`,
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
