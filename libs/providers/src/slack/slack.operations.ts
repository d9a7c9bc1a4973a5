import type { VendorOperation } from '../vendor/operation';

const FAILURE = { type: 'object', properties: { ok: { const: false }, error: { type: 'string' } } };
const CONTENT = {
  text: { type: 'string', maxLength: 40_000 },
  blocks: { type: 'array', maxItems: 50, items: { type: 'object', required: ['type'] } },
};

/** The operations of Slack's Web API that are called, and its incoming webhooks. The token is in the header `Authorization`. */
export const SLACK_OPERATIONS = {
  post: {
    method: 'POST',
    path: '/chat.postMessage',
    request: {
      type: 'object',
      required: ['channel', 'text'],
      additionalProperties: false,
      properties: { channel: { type: 'string', minLength: 1 }, ...CONTENT },
    },
    answer: {
      type: 'object',
      required: ['ok'],
      properties: { ok: { type: 'boolean' }, channel: { type: 'string' }, ts: { type: 'string' } },
    },
    failure: FAILURE,
    described: 'slack/slack_web_openapi_v2.chat.json#/paths/~1chat.postMessage/post',
  },
  /** The user with an e-mail address. */
  userByEmail: {
    method: 'GET',
    path: '/users.lookupByEmail',
    request: { type: 'object', required: ['email'], additionalProperties: false, properties: { email: { type: 'string' } } },
    answer: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' }, user: { type: 'object' } } },
    failure: FAILURE,
    described: 'slack/slack_web_openapi_v2.chat.json#/paths/~1users.lookupByEmail/get',
  },
  /** Whose token it is. */
  test: {
    method: 'GET',
    path: '/auth.test',
    answer: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } },
    failure: FAILURE,
    described: 'slack/slack_web_openapi_v2.chat.json#/paths/~1auth.test/get',
  },
  /** An incoming webhook: its whole address is given, and it answers `ok` as text. */
  webhook: {
    method: 'POST',
    path: '',
    request: { type: 'object', required: ['text'], additionalProperties: false, properties: CONTENT },
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
