import { DEFAULT_LIMITS } from '@tidings/contracts/messaging/timing/timeouts';
import { conclude } from './conclude';
import type { FinalOutcome } from '../record/delivery-store';
import type { LeasedDelivery } from './leased-delivery';

const MIDDLE = 0.5;
const NOW = 1_764_000_000_000;

const delivery: LeasedDelivery = {
  workspaceId: 'w',
  messageId: '1-69244a80-000000000000000000000000',
  uuid: '69244a80-0000-0000-0000-000000000000',
  leaf: 0,
  attempt: 2,
  channel: 'email',
  provider: 'smtp',
  integration: 'default',
  lane: 'normal',
  recipient: { channel: 'email', email: 'ada@example.com' },
  rendered: { kind: 'email', email: { subject: 's', html: 'h', text: 't' } },
  data: {},
  isAnnounced: true,
  hasSlot: false,
  more: false,
  retryWindow: { sinceMs: NOW - 1_000, hasNext: false },
  renderedAt: NOW - 900,
};
const TIMES = { startedMs: NOW - 10, endedMs: NOW };
const where = { channel: { id: 'email' }, integration: { id: 'default', provider: 'smtp' } };

describe('the conclusion of an attempt', () => {
  it('records an accepted mail as sent and delivered, with the reply as reference', () => {
    const reference = { response: '250 queued' };
    expect(conclude(delivery, { kind: 'accepted', reference, delivered: true }, TIMES, MIDDLE)).toMatchObject({
      kind: 'final',
      outcome: {
        attempt: 2,
        record: { channel: { key: 'email' }, provider: 'smtp', status: 'DELIVERED', sent: NOW, delivered: NOW, reference },

        events: [
          { ts: NOW, type: 'SENT', ...where },
          { ts: NOW, type: 'DELIVERED', ...where, reference },
        ],
      },
    });
  });

  it('stores the response of a failed call, and refused tokens up to the length limit of a record', () => {
    const refusedTokens = Array.from({ length: 1_000 }, (_, n) => ({ token: `${n}`.padStart(160, 't'), outcome: 'revoked' as const }));
    const push = { ...delivery, recipient: { channel: 'push' as const, tokens: [] } };
    const response = { status: 410, body: 'unregistered' };
    const result = { kind: 'failed', cause: 'token', reason: 'FAILED', error: 'no', refusedTokens, response } as const;
    const conclusion = conclude(push, result, TIMES, MIDDLE);

    expect(conclusion).toMatchObject({ kind: 'final', outcome: { record: { status: 'UNDELIVERABLE', providerResponse: response } } });
    const { outcome, tokens } = conclusion as { outcome: FinalOutcome; tokens?: readonly object[] };
    expect((outcome.record.providerResponse as { refused_tokens: object[] }).refused_tokens).toHaveLength(102);
    expect(tokens).toHaveLength(1_000);
  });

  it('records a message as sent only where the receiver reports delivery later', () => {
    const { outcome } = conclude(delivery, { kind: 'accepted', reference: {}, delivered: false }, TIMES, MIDDLE);
    expect(outcome).toMatchObject({ record: { status: 'SENT', sent: NOW, delivered: undefined }, events: [{ type: 'SENT' }] });
  });

  it('adds the DELIVERING event, with the time of the call, to the first outcome', () => {
    const first = { ...delivery, attempt: 1, isAnnounced: false };
    const { outcome } = conclude(first, { kind: 'retry', error: '451' }, TIMES, MIDDLE);
    expect(outcome).toMatchObject({ events: [{ ts: TIMES.startedMs, type: 'DELIVERING', ...where }] });
  });

  it('retries soon where the configuration was changed during the call, whatever the attempt and its Retry-After', () => {
    const outcome = { kind: 'retry', error: '503', retryAfterMs: 3_600_000 } as const;
    const many = { ...delivery, attempt: 12 };
    expect(conclude(many, outcome, TIMES, MIDDLE)).toMatchObject({ outcome: { delay_ms: 3 * 3_600_000 } });
    expect(conclude(many, { ...outcome, isOutdated: true }, TIMES, MIDDLE)).toMatchObject({ kind: 'retry', outcome: { delay_ms: 1_000 } });
  });

  it('postpones an attempt whose call was not made', () => {
    expect(conclude(delivery, { kind: 'postponed', delayMs: 700, hasSlot: true, error: 'busy', why: 'rate' }, TIMES, MIDDLE)).toEqual({
      kind: 'postponed',
      outcome: { workspace_id: 'w', id: delivery.uuid, leaf: 0, attempt: 2, delay_ms: 700, has_slot: true },
    });
  });

  it('keeps the last answer of a delivery whose calls are not made any more', () => {
    const response = { status: 500, body: 'boom' };
    const result = { kind: 'not-attempted', error: 'It is not called', why: 'breaker' } as const;
    const after = (attempt: number) =>
      conclude({ ...delivery, attempt, lastAnswer: { error: '500: boom', response } }, result, TIMES, MIDDLE);

    const error = 'It is not called; the last of 6 attempts: 500: boom';
    expect(after(7)).toMatchObject({
      outcome: {
        record: { attempts: 6, error, providerResponse: response },
        events: [{ type: 'UNDELIVERABLE', error_message: error }],
      },
    });
    expect(after(2)).toMatchObject({ outcome: { record: { error: 'It is not called; the only attempt: 500: boom' } } });
  });

  it('records why a call waits, except for its slot', () => {
    const postponed = { kind: 'postponed', delayMs: 700, hasSlot: false, error: 'down', why: 'breaker' } as const;
    expect(conclude(delivery, postponed, TIMES, MIDDLE)).toMatchObject({ outcome: { wait_reason: 'down' } });
    expect(conclude(delivery, { ...postponed, hasSlot: true }, TIMES, MIDDLE).outcome).toHaveProperty('wait_reason', undefined);
  });

  it('postpones to the end of the retry window at most, and fails there without a DELIVERING event', () => {
    const fresh = { ...delivery, attempt: 1, isAnnounced: false };
    const postponed = { kind: 'postponed', delayMs: 60_000, hasSlot: false, error: 'down', why: 'breaker' } as const;
    const until = (untilMs: number) =>
      conclude({ ...fresh, retryWindow: { sinceMs: NOW, untilMs, hasNext: false } }, postponed, TIMES, MIDDLE);

    expect(until(NOW + 2_000)).toMatchObject({ kind: 'postponed', outcome: { delay_ms: 2_000 } });
    expect(until(NOW)).toMatchObject({
      kind: 'final',
      outcome: {
        record: { status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR', error: 'down' },
        events: [{ type: 'UNDELIVERABLE', error_message: 'down' }],
      },
    });
    const expired = { ...fresh, retryWindow: { sinceMs: NOW - DEFAULT_LIMITS.messageMs, hasNext: false } };
    expect(conclude(expired, postponed, TIMES, MIDDLE).kind).toBe('final');
  });

  it('replaces characters of a response that PostgreSQL cannot store', () => {
    const outcome = {
      kind: 'accepted',
      reference: { reply: '250 a\0b\ud800' },
      delivered: true,
      response: { status: 200, body: '\0' },
    } as const;
    const json = JSON.stringify(conclude(delivery, outcome, TIMES, MIDDLE));
    expect(json).toContain('250 a\uFFFDb\uFFFD');
    expect(json).not.toContain('\\u0000');
  });

  it('records a refused address as bounced', () => {
    const outcome = { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD', error: '550 no such user' } as const;
    expect(conclude(delivery, outcome, TIMES, MIDDLE)).toMatchObject({
      kind: 'final',
      outcome: {
        record: { status: 'UNDELIVERABLE', reason: 'BOUNCED', error: '550 no such user' },
        events: [{ ts: NOW, type: 'UNDELIVERABLE', ...where, error_message: '550 no such user', reason: 'BOUNCED', reasonCode: 'HARD' }],
      },
      bounce: { reason: 'hard_bounce', channel: 'email', address: 'ada@example.com', messageId: delivery.messageId },
    });
  });

  it('retries a transient error after the planned delay', () => {
    const response = { status: 451, body: 'busy' };
    expect(conclude(delivery, { kind: 'retry', error: '451', response }, TIMES, MIDDLE)).toMatchObject({
      kind: 'retry',
      outcome: { workspace_id: 'w', id: delivery.uuid, leaf: 0, attempt: 2, delay_ms: 2_000, error: '451', response, events: [] },
    });
  });

  it.each([
    ['at the message limit', { sinceMs: NOW - DEFAULT_LIMITS.messageMs, hasNext: false }],
    ['at the end of its retry window', { sinceMs: NOW - 1_000, untilMs: NOW + 1_999, hasNext: true }],
  ])('fails %s with the last error', (_when, retryWindow) => {
    const old = { ...delivery, retryWindow };
    expect(conclude(old, { kind: 'retry', error: '451 busy' }, TIMES, MIDDLE)).toMatchObject({
      kind: 'final',
      outcome: {
        record: { status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR', error: 'Failed after 2 attempts; the last one: 451 busy' },
      },
    });
  });
});
