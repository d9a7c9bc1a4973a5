import { createHash } from 'node:crypto';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { authorizationOf, problemOfToken, problemOfWebhook } from '../credentials';
import { bounced, failed, type Outcome, retry } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { textOf } from '../vendor/profile-texts';
import { pauseMs } from '../vendor/retry-after';
import { defineVendor, type VendorAnswer, type VendorMessage } from '../vendor/vendor';
import { DISCORD_OPERATIONS } from './discord.operations';

const POST_CHARS_MAX = 2_000;
const NONCE_CHARS_MAX = 25;
/** The form that Discord requires of a bot's name. */
const HEADERS = { 'user-agent': 'DiscordBot (tidings, 1)' };

/** Codes of errors; others are classified by the status. */
const TRANSIENT = [20_028, 40_003, 40_062];
/** The channel or the user is unknown, or accepts no messages of this bot. */
const OF_RECIPIENT = [10_003, 10_013, 50_007, 50_033, 50_278];
/** The webhook does not exist. */
const OF_CONFIGURATION = [10_015, 50_027];
/** The bot may not post in this channel, which the recipient names. */
const OF_MESSAGE = [50_001, 50_013];

/** Discord, by a bot or by the webhook of a channel. */
export const discordKind = defineVendor({
  key: 'discord',
  channel: 'direct_message',
  title: 'Discord',
  description: 'Posts messages to people and channels in Discord',
  setup: `1. Make an application with a bot (_discord.com/developers/applications_, _New Application_, _Bot_) and copy its token,
   _Reset Token_, to \`bot_token\`. Invite it to your server: _OAuth2_, scope \`bot\`, permission _Send Messages_.
2. Or, for one channel: _Edit Channel_, _Integrations_, _Webhooks_, _New Webhook_; copy its address to \`webhook_url\`.

A recipient has \`discord: {user_id}\` or \`{channel_id}\` in the profile, used in this order. A person gets a direct
message if the bot shares a server with them. With \`webhook_url\` every message goes to its channel.

A text over 2,000 characters is posted as several messages, one after another. \`override.body\` is merged over the last
one; its \`content\` replaces the whole text. No text notifies people or roles (\`allowed_mentions\`).`,
  example: { bot_token: '…' },
  to: { discord: { channel_id: '41771983423143937' } },
  fields: {
    bot_token: { type: 'string', required: false, lengthMax: 256, secret: true },
    webhook_url: { type: 'string', required: false, lengthMax: 2_048, secret: true },
  },
  about: { bot_token: 'token of the bot; or:', webhook_url: 'address of the webhook of a channel' },
  check: ({ bot_token, webhook_url }) => [
    (bot_token === undefined) === (webhook_url === undefined) && ['bot_token', 'or settings.webhook_url is required, not both'],
    problemOfToken('bot_token', bot_token),
    problemOfWebhook('webhook_url', webhook_url),
  ],
  baseUrl: 'https://discord.com/api/v10',
  hostOf: ({ webhook_url }) => (webhook_url === undefined ? undefined : { setting: 'webhook_url', host: new URL(webhook_url).hostname }),
  operations: DISCORD_OPERATIONS,
  limits: {},
  recipientOf: (recipient) => (recipient.channel === 'direct_message' && recipient.discord ? recipient : undefined),
  needs: 'discord needs profile.discord',
  credentials: ({ bot_token }) => authorizationOf('Bot', bot_token),
  partsOf({ rendered, attempt }) {
    const { posts = [] } = rendered.directMessage;
    const body = attempt.override?.body;
    const isReplaced = isJsonObject(body) && typeof body.content === 'string';
    return posts.length === 0 || isReplaced ? [rendered] : posts.map((post) => ({ ...rendered, directMessage: { text: post } }));
  },
  lookup(message, { webhook_url }) {
    const { user } = targetOf(message);
    if (user === undefined || webhook_url !== undefined) return undefined;
    return {
      request: { operation: DISCORD_OPERATIONS.open, headers: HEADERS, body: { recipient_id: user } },
      cacheKey: user,
      read: (answer) => (typeof answer.json.id === 'string' ? answer.json.id : failureOf(answer)),
    };
  },
  request(message, { webhook_url }) {
    const { text } = message.rendered.directMessage;
    if (text.length > POST_CHARS_MAX)
      return failed(`Discord accepts texts of ${POST_CHARS_MAX} characters, not ${text.length}`, 'permanent');
    const content = { content: text, allowed_mentions: { parse: [] } };
    if (webhook_url !== undefined)
      return { operation: DISCORD_OPERATIONS.webhook, url: webhook_url, query: { wait: 'true' }, headers: HEADERS, body: content };
    const channel = message.found ?? targetOf(message).channel;
    if (channel === undefined) return failed('profile.discord names no user_id or channel_id', 'permanent');
    return {
      operation: DISCORD_OPERATIONS.send,
      parameters: { channel_id: channel },
      headers: HEADERS,
      body: { ...content, nonce: nonceOf(message), enforce_nonce: true },
    };
  },
  words: ({ code, message }) => (typeof code === 'number' && code > 0 ? `${String(message)} (${code})` : message),
  read: (answer) => failureOf(answer) ?? (isSuccess(answer) ? accepted(answer.json.id, false) : undefined),
  test: {
    request: ({ webhook_url }) =>
      webhook_url === undefined
        ? { operation: DISCORD_OPERATIONS.me, headers: HEADERS }
        : { operation: DISCORD_OPERATIONS.described, url: webhook_url, headers: HEADERS },
  },
});

/** `user_id` before `channel_id`: what is for one person is not shown to a channel. */
function targetOf({ recipient: { discord = {} } }: VendorMessage<'direct_message'>) {
  return { user: textOf(discord.user_id), channel: textOf(discord.channel_id) };
}

/** Discord posts a text with the same nonce once within a few minutes. */
function nonceOf({ attempt, part = 0 }: VendorMessage<'direct_message'>) {
  return createHash('sha256').update(`${attempt.idempotencyKey}.${part}`).digest('base64url').slice(0, NONCE_CHARS_MAX);
}

function failureOf(answer: VendorAnswer): Outcome | undefined {
  if (isSuccess(answer)) return undefined;
  const { json, status, error, retryAfterMs } = answer;
  const { code, retry_after: seconds, global } = json;
  // A limit of one channel is no outage.
  if (status === 429 || TRANSIENT.includes(code as number)) {
    const waitMs = retryAfterMs ?? (typeof seconds === 'number' ? pauseMs(Math.ceil(seconds * 1_000)) : undefined);
    return retry(error, { retryAfterMs: waitMs, ...(global === true && { outage: true }) });
  }
  if (OF_RECIPIENT.includes(code as number)) return bounced(error, 'HARD');
  if (OF_MESSAGE.includes(code as number)) return failed(error, 'permanent');
  return OF_CONFIGURATION.includes(code as number) ? failed(error, 'configuration') : undefined;
}
