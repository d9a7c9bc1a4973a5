import type { VendorMatrix } from '../vendor/matrix.fixture';
import { slackKind } from './slack';

const rendered = {
  kind: 'direct_message',
  directMessage: { text: 'Shipped', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*Shipped*' } }] },
} as const;
const recipient = { channel: 'direct_message', slack: { channel: 'C1' } } as const;
const refused = (error: string, status = 200) => ({ status, body: { ok: false, error } });

/** By the token of a bot. */
export const SLACK: VendorMatrix = {
  kind: slackKind,
  settings: () => ({ access_token: 'xoxb-the-token-of-the-bot' }),
  message: { rendered, recipient },
  sends: 'post',
  rows: {
    accepted: {
      answer: { status: 200, body: { ok: true, channel: 'C1', ts: '1503435956.000247' } },
      outcome: { kind: 'accepted', reference: { id: 'C1:1503435956.000247' }, delivered: false },
    },
    badAddress: {
      answer: refused('channel_not_found'),
      outcome: { kind: 'failed', cause: 'recipient', reasonCode: 'HARD', error: 'Slack answered 200: channel_not_found' },
    },
    'a bot that is not in the channel': { answer: refused('not_in_channel'), outcome: { kind: 'failed', cause: 'recipient' } },
    badCredentials: { answer: refused('invalid_auth'), outcome: { kind: 'failed', cause: 'configuration' } },
    tooLarge: { answer: refused('msg_blocks_too_long'), outcome: { kind: 'failed', cause: 'permanent' } },
    'an error that may pass': { answer: refused('fatal_error'), outcome: { kind: 'retry' } },
    'a limit by its error': { answer: refused('ratelimited'), outcome: { kind: 'retry' } },
  },
  throttled: { ok: false, error: 'ratelimited' },
  failing: { ok: false, error: 'service_unavailable_soon' },
  unfit: {
    rendered: { kind: 'direct_message', directMessage: { text: 'x', blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) } },
    recipient,
    reason: 'Slack accepts 50 blocks, not 51',
  },
  test: { operation: 'test', good: { status: 200, body: { ok: true } }, wrong: refused('invalid_auth') },
};

/** By an incoming webhook: text answers, and no test. */
export const SLACK_WEBHOOK: Pick<VendorMatrix, 'kind' | 'settings' | 'message' | 'sends' | 'rows'> = {
  kind: slackKind,
  settings: (peer) => ({ webhook_url: peer.urlOf('webhook') }),
  message: { rendered, recipient },
  sends: 'webhook',
  rows: {
    accepted: { answer: { status: 200, body: 'ok' }, outcome: { kind: 'accepted', reference: {}, delivered: false } },
    badAddress: {
      answer: { status: 410, body: 'channel_is_archived' },
      outcome: { kind: 'failed', cause: 'recipient', reasonCode: 'HARD' },
    },
    badCredentials: { answer: { status: 404, body: 'no_service' }, outcome: { kind: 'failed', cause: 'configuration' } },
    tooLarge: { answer: { status: 400, body: 'invalid_payload' }, outcome: { kind: 'failed', cause: 'permanent' } },
    forbidden: { answer: { status: 403, body: 'action_prohibited' }, outcome: { kind: 'failed', cause: 'configuration' } },
  },
};
