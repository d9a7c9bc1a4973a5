import { conclude } from './conclude';
import type { HeldDelivery } from './delivery';
import { MESSAGE_LIMIT_MS } from './retry-plan';

const MIDDLE = 0.5;
const NOW = 1_764_000_000_000;

const delivery: HeldDelivery = {
  workspaceId: 'w',
  messageId: '1-69244a80-000000000000000000000000',
  uuid: '69244a80-0000-0000-0000-000000000000',
  leaf: 0,
  attempt: 2,
  channel: 'email',
  provider: 'smtp',
  recipient: { email: 'ada@example.com' },
  email: { subject: 's', html: 'h', text: 't' },
  enqueuedAt: NOW - 1_000,
  renderedAt: NOW - 900,
};
const where = { channel: { id: 'email' }, integration: { id: 'default', provider: 'smtp' } };

describe('what an attempt means for its message', () => {
  it('a mail that its server took is sent and delivered, with the reply as reference', () => {
    const reference = { response: '250 queued' };
    expect(conclude(delivery, { kind: 'accepted', reference, delivered: true }, NOW, MIDDLE)).toMatchObject({
      kind: 'final',
      outcome: {
        attempt: 2,
        status: 'DELIVERED',
        sent_at: NOW,
        delivered_at: NOW,
        count: 2,
        events: [
          { ts: NOW, type: 'SENT', ...where },
          { ts: NOW, type: 'DELIVERED', ...where, reference },
        ],
      },
    });
  });

  it('a receiver that reports later is only sent to', () => {
    const { outcome } = conclude(delivery, { kind: 'accepted', reference: {}, delivered: false }, NOW, MIDDLE);
    expect(outcome).toMatchObject({ status: 'SENT', sent_at: NOW, count: 1 });
    expect(outcome).not.toHaveProperty('delivered_at');
  });

  it('what a receiver says is kept as far as it can be stored', () => {
    const { outcome } = conclude(delivery, { kind: 'retry', error: 'x' }, NOW, MIDDLE);
    expect(outcome.attempt).toBe(2);
    const strange = conclude(delivery, { kind: 'accepted', reference: { reply: '250 a\0b\ud800' }, delivered: true }, NOW, MIDDLE);
    expect(JSON.stringify(strange)).toContain('250 a\uFFFDb\uFFFD');
  });

  it('a refused address bounces', () => {
    const outcome = { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD', error: '550 no such user' } as const;
    expect(conclude(delivery, outcome, NOW, MIDDLE)).toMatchObject({
      kind: 'final',
      outcome: {
        status: 'UNDELIVERABLE',
        reason: 'BOUNCED',
        error: '550 no such user',
        events: [{ ts: NOW, type: 'UNDELIVERABLE', ...where, error_message: '550 no such user', reason: 'BOUNCED', reasonCode: 'HARD' }],
      },
    });
  });

  it('a passing trouble is tried again after the plan', () => {
    expect(conclude(delivery, { kind: 'retry', error: '451' }, NOW, MIDDLE)).toEqual({
      kind: 'retry',
      outcome: { workspace_id: 'w', id: delivery.uuid, leaf: 0, attempt: 2, delay_ms: 2_000 },
    });
  });

  it('gives up at the message limit and says what the last trouble was', () => {
    const old = { ...delivery, attempt: 31, enqueuedAt: NOW - MESSAGE_LIMIT_MS };
    expect(conclude(old, { kind: 'retry', error: '451 busy' }, NOW, MIDDLE)).toMatchObject({
      kind: 'final',
      outcome: { status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR', error: 'Given up after 31 attempts; the last one: 451 busy' },
    });
  });
});
