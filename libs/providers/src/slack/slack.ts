import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { isHttpUrl } from '@tidings/contracts/core/http-url';
import { authorizationOf, isToken, problemOfToken, problemOfWebhook } from '../credentials';
import { bounced, failed, type Outcome, retry } from '../provider';
import { accepted } from '../vendor/classify';
import { textOf } from '../vendor/profile-texts';
import { defineVendor, type VendorAnswer, type VendorMessage } from '../vendor/vendor';
import { SLACK_OPERATIONS } from './slack.operations';

const BLOCKS_MAX = 50;

/** Errors of an answer with `ok: false`, and of an incoming webhook, where it is the whole body. Others are permanent. */
const TRANSIENT = new Set(['ratelimited', 'rate_limited', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);
const OF_RECIPIENT = new Set(['channel_not_found', 'not_in_channel', 'is_archived', 'channel_is_archived', 'users_not_found']);
const OF_CONFIGURATION = new Set([
  ...['not_authed', 'invalid_auth', 'account_inactive', 'token_revoked', 'token_expired', 'missing_scope', 'no_permission'],
  ...['team_access_not_granted', 'ekm_access_denied', 'no_service', 'no_team', 'invalid_token'],
]);

/** Slack, by a bot's token or by incoming webhooks. */
export const slackKind = defineVendor({
  key: 'slack',
  channel: 'direct_message',
  title: 'Slack',
  description: 'Posts messages to people and channels in Slack',
  setup: `1. Make an app (_api.slack.com/apps_, _Create New App_) and install it in your Slack workspace.
2. For people and several channels: _OAuth & Permissions_, bot token scopes \`chat:write\`, \`users:read\` and
   \`users:read.email\`; copy the _Bot User OAuth Token_ to \`access_token\`, and invite the bot to its channels.
3. Or, for one channel: _Incoming Webhooks_, _Add New Webhook_; copy its address to \`webhook_url\`.

A recipient has \`slack: {channel}\`, \`{user_id}\` or \`{email}\` in the profile, used in this order. With an
\`access_token\` of their own, as an installation of the app stores it, that is used instead of the configured one; with
\`incoming_webhook: {url}\` and no such target, that address. With \`webhook_url\` every other message goes to its channel.`,
  example: { access_token: 'xoxb-…' },
  to: { slack: { channel: 'C0123456789' } },
  fields: {
    access_token: { type: 'string', required: false, lengthMax: 512, secret: true },
    webhook_url: { type: 'string', required: false, lengthMax: 2_048, secret: true },
  },
  about: { access_token: 'token of the bot, `xoxb-…`; or:', webhook_url: 'address of an incoming webhook' },
  ofContent: ['slackBlocks'],
  check: ({ access_token, webhook_url }) => [
    (access_token === undefined) === (webhook_url === undefined) && ['access_token', 'or settings.webhook_url is required, not both'],
    problemOfToken('access_token', access_token),
    problemOfWebhook('webhook_url', webhook_url),
  ],
  baseUrl: 'https://slack.com/api',
  hostOf: ({ webhook_url }) => (webhook_url === undefined ? undefined : { setting: 'webhook_url', host: new URL(webhook_url).hostname }),
  operations: SLACK_OPERATIONS,
  limits: { textChars: 40_000 },
  recipientOf: (recipient) => (recipient.channel === 'direct_message' && recipient.slack ? recipient : undefined),
  needs: 'slack needs profile.slack',
  credentials: ({ access_token }) => authorizationOf('Bearer', access_token),
  lookup(message, { access_token }) {
    const { channel, email, token } = targetOf(message);
    if (channel !== undefined || email === undefined || (token ?? access_token) === undefined) return undefined;
    return {
      request: { operation: SLACK_OPERATIONS.userByEmail, query: { email }, ...withToken(token) },
      cacheKey: `${token ?? ''} ${email}`,
      read: (answer) =>
        isJsonObject(answer.json.user) && typeof answer.json.user.id === 'string' ? answer.json.user.id : failureOf(answer),
    };
  },
  request(message, { access_token, webhook_url }) {
    const { text, blocks = [] } = message.rendered.directMessage;
    if (blocks.length > BLOCKS_MAX) return failed(`Slack accepts ${BLOCKS_MAX} blocks, not ${blocks.length}`, 'permanent');
    const { channel = message.found, token, webhook } = targetOf(message);
    const content = { text, ...(blocks.length > 0 && { blocks }) };
    if (channel !== undefined && (token ?? access_token) !== undefined)
      return { operation: SLACK_OPERATIONS.post, body: { channel, ...content }, ...withToken(token) };
    const url = webhook ?? webhook_url;
    if (url !== undefined) return { operation: SLACK_OPERATIONS.webhook, url, body: content, isRecipients: webhook !== undefined };
    return failed('profile.slack names no channel, user_id, email or incoming_webhook.url', 'permanent');
  },
  words: ({ error }) => error,
  read(answer) {
    const { channel, ts } = answer.json;
    return failureOf(answer) ?? (typeof ts === 'string' ? accepted(`${String(channel)}:${ts}`, false) : undefined);
  },
  test: {
    request: ({ access_token }) =>
      access_token === undefined ? 'An incoming webhook cannot be tested without a message' : { operation: SLACK_OPERATIONS.test },
    read: (answer) => (failureOf(answer) ? { ok: false, message: answer.error, status: answer.status } : undefined),
  },
});

/** Where the profile wants the message: `channel` before `user_id` before `email`, and the token or webhook that it brings. */
function targetOf({ recipient: { slack = {} } }: VendorMessage<'direct_message'>) {
  const { channel, user_id, email, access_token, incoming_webhook } = slack;
  const url = isJsonObject(incoming_webhook) ? incoming_webhook.url : undefined;
  return {
    channel: textOf(channel) ?? textOf(user_id),
    email: textOf(email),
    token: typeof access_token === 'string' && isToken(access_token) ? access_token : undefined,
    webhook: isHttpUrl(url) ? url : undefined,
  };
}

function withToken(token: string | undefined) {
  return token === undefined ? {} : { headers: authorizationOf('Bearer', token), isRecipients: true };
}

/** The outcome of a refusal, which most often has the status 200; undefined: it is none, or the status decides. */
function failureOf(answer: VendorAnswer): Outcome | undefined {
  const { json, status } = answer;
  if (status === 200 && json.ok !== false) return undefined;
  const { body, error, retryAfterMs } = answer;
  const code = codeOf(json, body);
  // A limit of one channel is no outage.
  if (status === 429 || TRANSIENT.has(code)) return retry(error, { retryAfterMs });
  if (OF_RECIPIENT.has(code)) return bounced(error, 'HARD');
  if (OF_CONFIGURATION.has(code)) return failed(error, 'configuration');
  return status === 200 ? failed(error, 'permanent') : undefined;
}

function codeOf({ error }: JsonObject, body: string) {
  return typeof error === 'string' ? error : body.trim();
}
