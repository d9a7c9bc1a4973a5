import type { PeerAnswer } from '../vendor/peer.fixture';
import type { VendorMatrix } from '../vendor/matrix.fixture';
import { telegramKind } from './telegram';

export const TOKEN = '123456789:the-token-of-the-bot_AbC';
const direct = (text: string) => ({ kind: 'direct_message', directMessage: { text } }) as const;
const recipient = { channel: 'direct_message', telegram: { chat_id: -1001234567890 } } as const;
export const refused = (error_code: number, description: string, parameters?: object): PeerAnswer => ({
  status: error_code,
  body: { ok: false, error_code, description, parameters },
});

export const TELEGRAM: VendorMatrix = {
  kind: telegramKind,
  settings: () => ({ bot_token: TOKEN }),
  message: { rendered: direct('Shipped'), recipient },
  rows: {
    accepted: {
      answer: { status: 200, body: { ok: true, result: { message_id: 17, chat: { id: -1001234567890 } } } },
      outcome: { kind: 'accepted', reference: { id: '-1001234567890:17' }, delivered: false },
    },
    badAddress: {
      answer: refused(400, 'Bad Request: chat not found'),
      outcome: { kind: 'failed', cause: 'recipient', reasonCode: 'HARD', error: 'Telegram answered 400: Bad Request: chat not found' },
    },
    'a bot that was blocked': {
      answer: refused(403, 'Forbidden: bot was blocked by the user'),
      outcome: { kind: 'failed', cause: 'recipient', reasonCode: 'HARD' },
    },
    badCredentials: { answer: refused(401, 'Unauthorized'), outcome: { kind: 'failed', cause: 'configuration' } },
    'a token that is none': { answer: refused(404, 'Not Found'), outcome: { kind: 'failed', cause: 'configuration' } },
    tooLarge: { answer: refused(400, 'Bad Request: message is too long'), outcome: { kind: 'failed', cause: 'permanent' } },
    'a limit in the body': {
      answer: refused(429, 'Too Many Requests: retry after 9', { retry_after: 9 }),
      outcome: { kind: 'retry', retryAfterMs: 9_000 },
    },
  },
  throttled: { ok: false, error_code: 429, description: 'Too Many Requests: retry after 7', parameters: { retry_after: 7 } },
  unfit: { rendered: direct('x'.repeat(4_097)), recipient, reason: 'Telegram accepts texts of 4096 characters, not 4097' },
  test: { operation: 'me', good: { status: 200, body: { ok: true } }, wrong: refused(401, 'Unauthorized') },
};
