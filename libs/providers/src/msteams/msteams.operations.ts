import type { VendorOperation } from '../vendor/operation';

const ID = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
const FAILURE = {
  type: 'object',
  properties: { error: { type: 'object', properties: { code: { type: 'string' }, message: { type: 'string' } } } },
};
const ACCOUNT = { type: 'object', required: ['id'], additionalProperties: false, properties: { id: { type: 'string', minLength: 1 } } };

/** The operations of the Bot Framework's connector that are called, and of the token server. */
export const MSTEAMS_OPERATIONS = {
  /** A message to a conversation, or to a channel as a new thread. */
  send: {
    method: 'POST',
    path: '/v3/conversations/{conversation_id}/activities',
    request: {
      type: 'object',
      required: ['type', 'channelId', 'conversation'],
      additionalProperties: false,
      properties: {
        type: { const: 'message' },
        channelId: { const: 'msteams' },
        conversation: ACCOUNT,
        text: { type: 'string', minLength: 1 },
        summary: { type: 'string', minLength: 1 },
        attachments: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['contentType', 'content'],
            additionalProperties: false,
            properties: { contentType: { const: 'application/vnd.microsoft.card.adaptive' }, content: { type: 'object' } },
          },
        },
      },
      anyOf: [{ required: ['text'] }, { required: ['attachments'] }],
    },
    answer: ID,
    failure: FAILURE,
    described: 'teams/botframework-activity.schema.json#/definitions/Activity',
  },
  /** The conversation of the bot with a person. */
  open: {
    method: 'POST',
    path: '/v3/conversations',
    request: {
      type: 'object',
      required: ['bot', 'members', 'tenantId', 'isGroup', 'channelData'],
      additionalProperties: false,
      properties: {
        bot: ACCOUNT,
        members: { type: 'array', minItems: 1, maxItems: 1, items: ACCOUNT },
        tenantId: { type: 'string', minLength: 1 },
        isGroup: { const: false },
        channelData: { type: 'object', required: ['tenant'], properties: { tenant: ACCOUNT } },
      },
    },
    answer: ID,
    failure: FAILURE,
  },
  /** The channels of a team; the first one has no name. */
  channels: {
    method: 'GET',
    path: '/v3/teams/{team_id}/conversations',
    answer: {
      type: 'object',
      properties: {
        conversations: {
          type: 'array',
          items: { type: 'object', properties: { id: { type: 'string' }, name: { type: ['string', 'null'] } } },
        },
      },
    },
    failure: FAILURE,
  },
  /** An access token of the bot. */
  token: {
    method: 'POST',
    path: '/{tenant}/oauth2/v2.0/token',
    encoding: 'form',
    request: {
      type: 'object',
      required: ['grant_type', 'client_id', 'client_secret', 'scope'],
      additionalProperties: false,
      properties: {
        grant_type: { const: 'client_credentials' },
        client_id: { type: 'string' },
        client_secret: { type: 'string' },
        scope: { const: 'https://api.botframework.com/.default' },
      },
    },
    answer: {
      type: 'object',
      required: ['access_token'],
      properties: { access_token: { type: 'string' }, expires_in: { type: 'integer' } },
    },
    failure: { type: 'object', properties: { error: { type: 'string' }, error_description: { type: 'string' } } },
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
