import type { PeerAnswer } from '../vendor/peer.fixture';
import type { VendorMatrix } from '../vendor/matrix.fixture';
import { discordKind } from './discord';

const direct = (text: string, posts?: readonly string[]) => ({ kind: 'direct_message', directMessage: { text, posts } }) as const;
const recipient = { channel: 'direct_message', discord: { channel_id: '41771983423143937' } } as const;
export const refused = (code: number, status: number): PeerAnswer => ({ status, body: { code, message: 'Refused' } });
const limit = { message: 'You are being rate limited.', retry_after: 0.65, global: false };

/** By a bot. */
export const DISCORD: VendorMatrix = {
  kind: discordKind,
  settings: () => ({ bot_token: 'the-token-of-the-bot' }),
  message: { rendered: direct('Shipped', ['**Shipped**']), recipient },
  rows: {
    accepted: { answer: { status: 200, body: { id: '9001' } }, outcome: { kind: 'accepted', reference: { id: '9001' }, delivered: false } },
    badAddress: {
      answer: refused(10_003, 404),
      outcome: { kind: 'failed', cause: 'recipient', reasonCode: 'HARD', error: 'Discord answered 404: Refused (10003)' },
    },
    'direct messages that are closed': { answer: refused(50_007, 403), outcome: { kind: 'failed', cause: 'recipient' } },
    badCredentials: {
      answer: { status: 401, body: { message: '401: Unauthorized', code: 0 } },
      outcome: { kind: 'failed', cause: 'configuration', error: 'Discord answered 401: 401: Unauthorized' },
    },
    'a channel without access': { answer: refused(50_001, 403), outcome: { kind: 'failed', cause: 'permanent' } },
    tooLarge: { answer: refused(50_035, 400), outcome: { kind: 'failed', cause: 'permanent' } },
    'a limit in fractions of a second': { answer: { status: 429, body: limit }, outcome: { kind: 'retry', retryAfterMs: 650 } },
    'a limit of all calls': { answer: { status: 429, body: { ...limit, global: true } }, outcome: { kind: 'retry', outage: true } },
    'a limit by its code': { answer: refused(20_028, 403), outcome: { kind: 'retry' } },
  },
  throttled: limit,
  unfit: { rendered: direct('x'.repeat(2_001)), recipient, reason: 'Discord accepts texts of 2000 characters, not 2001' },
  test: {
    operation: 'me',
    good: { status: 200, body: { id: '1' } },
    wrong: { status: 401, body: { message: '401: Unauthorized', code: 0 } },
  },
};

/** By the webhook of a channel. */
export const DISCORD_WEBHOOK: VendorMatrix = {
  ...DISCORD,
  settings: (peer) => ({ webhook_url: `${peer.url}/webhooks/7/the-token-of-the-webhook` }),
  sends: 'webhook',
  rows: { ...DISCORD.rows, badCredentials: { answer: refused(10_015, 404), outcome: { kind: 'failed', cause: 'configuration' } } },
  test: { operation: 'described', good: { status: 200, body: { id: '7' } }, wrong: refused(10_015, 404) },
};
