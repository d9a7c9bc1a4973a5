import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { bounced, failed, type Outcome, retry } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { pauseMs } from '../vendor/retry-after';
import { defineVendor, type VendorAnswer, type VendorMessage } from '../vendor/vendor';
import { TELEGRAM_OPERATIONS } from './telegram.operations';

/** Refusals with the status 400 that concern the chat. */
const NO_CHAT = /chat not found|user not found|peer_id_invalid/i;

/** Telegram, by a bot. */
export const telegramKind = defineVendor({
  key: 'telegram',
  channel: 'direct_message',
  title: 'Telegram',
  description: 'Sends messages of a bot to people, groups and channels in Telegram',
  setup: `1. Write \`/newbot\` to _@BotFather_ in Telegram and copy the token of the bot to \`bot_token\`.
2. A bot cannot begin a chat: each person opens it once and presses _Start_; in a group or channel it is a member. The
   updates of the bot (\`getUpdates\`) name the id of each chat.

A recipient has \`telegram: {chat_id}\` in the profile: the id of the chat, a number or a text, or \`@name\` of a public
channel. It is no address of its own: it is stored in the profile, or a send has it beside the \`user_id\`. The text is
sent as it is; \`override.body\` may set \`text\` and \`parse_mode\`. Where a group has become a
supergroup, Telegram names its new id and the message is sent there.`,
  example: { bot_token: '123456789:…' },
  to: { user_id: 'ada', telegram: { chat_id: 123456789 } },
  fields: { bot_token: { type: 'string', required: true, lengthMax: 128, secret: true } },
  about: { bot_token: 'token of the bot' },
  check: ({ bot_token }) => [
    bot_token !== undefined && !/^\d+:[\w-]{20,}$/.test(bot_token) && ['bot_token', 'must be the token of a bot: digits, a colon, letters'],
  ],
  baseUrl: 'https://api.telegram.org',
  operations: TELEGRAM_OPERATIONS,
  limits: { textChars: 4_096 },
  recipientOf: (recipient) => (recipient.channel === 'direct_message' && chatOf(recipient.telegram) !== undefined ? recipient : undefined),
  needs: 'telegram needs profile.telegram.chat_id, a text or a number',
  request({ rendered, recipient, found }, { bot_token }) {
    const chat = found ?? chatOf(recipient.telegram);
    if (chat === undefined) return failed('profile.telegram names no chat_id', 'permanent');
    return {
      operation: TELEGRAM_OPERATIONS.send,
      parameters: { token: bot_token },
      body: { chat_id: chat, text: rendered.directMessage.text },
    };
  },
  words: ({ description }) => description,
  foundIn({ json }) {
    const chat = parametersOf(json).migrate_to_chat_id;
    return typeof chat === 'number' ? String(chat) : undefined;
  },
  read: (answer) => failureOf(answer) ?? (isSuccess(answer) ? accepted(referenceOf(answer.json), false) : undefined),
  test: { request: ({ bot_token }) => ({ operation: TELEGRAM_OPERATIONS.me, parameters: { token: bot_token } }) },
});

/** A chat's id is too large for some numbers of JSON in other languages, so both forms are in use. */
function chatOf(telegram: VendorMessage<'direct_message'>['recipient']['telegram']) {
  const id = telegram?.chat_id;
  return (typeof id === 'string' && id !== '') || Number.isSafeInteger(id) ? String(id) : undefined;
}

/** `chat:message`: the numbers of messages are those of their chat. */
function referenceOf({ result }: JsonObject) {
  if (!isJsonObject(result) || !isJsonObject(result.chat) || typeof result.message_id !== 'number') return undefined;
  return `${String(result.chat.id)}:${result.message_id}`;
}

function failureOf(answer: VendorAnswer): Outcome | undefined {
  const { status, json, error, retryAfterMs } = answer;
  if (status === 429) {
    const seconds = parametersOf(json).retry_after;
    // A limit of one chat is no outage.
    return retry(error, { retryAfterMs: retryAfterMs ?? (typeof seconds === 'number' ? pauseMs(seconds * 1_000) : undefined) });
  }
  // The bot was blocked, removed, or not started, or the account is deleted.
  if (status === 403 || (status === 400 && NO_CHAT.test(error))) return bounced(error, 'HARD');
  return status === 401 || status === 404 ? failed(error, 'configuration') : undefined;
}

const parametersOf = ({ parameters }: JsonObject): JsonObject => (isJsonObject(parameters) ? parameters : {});
