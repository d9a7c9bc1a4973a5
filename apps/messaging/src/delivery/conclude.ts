import type { HistoryEvent, ProviderStatus } from '@tidings/contracts/messaging/messages';
import type { Outcome } from '@tidings/providers/provider';
import type { AttemptKey, FinalOutcome, RetryOutcome } from '../store/outcome-store';
import { storable } from '../store/storable';
import type { HeldDelivery } from './delivery';
import { isPastMessageLimit, retryDelayMs } from './retry-plan';

export type Conclusion = { kind: 'final'; outcome: FinalOutcome } | { kind: 'retry'; outcome: RetryOutcome };

/** Id of the configuration that is there without being configured: `TIDINGS_SMTP_URL`, or the development mailbox. */
export const DEFAULT_INTEGRATION_ID = 'default';

/** What an attempt's outcome means for its delivery and its message. Pure: `nowMs` and `random` ([0, 1)) are given. */
export function conclude(delivery: HeldDelivery, told: Outcome, nowMs: number, random: number): Conclusion {
  const outcome = storableOutcome(told);
  const { workspaceId, uuid, leaf, attempt } = delivery;
  const key = { workspace_id: workspaceId, id: uuid, leaf, attempt };

  if (outcome.kind === 'accepted') {
    return { kind: 'final', outcome: { ...key, ...accepted(delivery, outcome.reference, outcome.delivered, nowMs) } };
  }
  if (outcome.kind === 'failed') {
    return { kind: 'final', outcome: { ...key, ...undeliverable(delivery, outcome.error, outcome.reason, nowMs, outcome.reasonCode) } };
  }
  const delayMs = retryDelayMs(attempt, random, outcome.retryAfterMs);
  if (!isPastMessageLimit(delivery.enqueuedAt, nowMs, delayMs)) return { kind: 'retry', outcome: { ...key, delay_ms: delayMs } };
  const error = `Given up after ${attempt} attempts; the last one: ${outcome.error}`;
  const reason = outcome.reasonCode ? 'BOUNCED' : 'PROVIDER_ERROR';
  return { kind: 'final', outcome: { ...key, ...undeliverable(delivery, error, reason, nowMs, outcome.reasonCode) } };
}

/** Receivers say what they like; what cannot be stored of it must not keep the outcome from being stored. */
function storableOutcome(outcome: Outcome): Outcome {
  if (outcome.kind !== 'accepted') return { ...outcome, error: storable(outcome.error) };
  const reference = Object.entries(outcome.reference).map(([name, value]) => [storable(name), storable(value)]);
  return { ...outcome, reference: Object.fromEntries(reference) as Record<string, string> };
}

/** The end of a delivery that cannot even be read: no attempt can be made, and none must be made again and again. */
export function unreadable(key: AttemptKey, channel: string, provider: string, why: string, nowMs: number): Conclusion {
  const error = storable(`The delivery cannot be read: ${why}`);
  const delivery = { channel, provider };
  return { kind: 'final', outcome: { ...key, ...undeliverable(delivery, error, 'FAILED', nowMs) } };
}

type Ending = Omit<FinalOutcome, 'workspace_id' | 'id' | 'leaf' | 'attempt'>;

function accepted(delivery: HeldDelivery, reference: Record<string, string>, delivered: boolean, ts: number): Ending {
  const where = whereOf(delivery);
  const events: HistoryEvent[] = [{ ts, type: 'SENT', ...where }];
  if (delivered) events.push({ ts, type: 'DELIVERED', ...where, reference });
  const status = delivered ? 'DELIVERED' : 'SENT';
  return {
    status,
    sent_at: ts,
    ...(delivered && { delivered_at: ts }),
    providers: [{ ...providerOf(delivery), status, sent: ts, ...(delivered && { delivered: ts }), reference }],
    at: ts,
    events,
    count: events.length,
  };
}

function undeliverable(
  delivery: Leaf,
  error: string,
  reason: 'BOUNCED' | 'PROVIDER_ERROR' | 'FAILED',
  ts: number,
  reasonCode?: 'HARD' | 'SOFT',
): Ending {
  return {
    status: 'UNDELIVERABLE',
    reason,
    error,
    providers: [{ ...providerOf(delivery), status: 'UNDELIVERABLE', error }],
    at: ts,
    events: [{ ts, type: 'UNDELIVERABLE', ...whereOf(delivery), error_message: error, reason, ...(reasonCode && { reasonCode }) }],
    count: 1,
  };
}

type Leaf = Pick<HeldDelivery, 'channel' | 'provider'>;

function whereOf({ channel, provider }: Leaf) {
  return { channel: { id: channel }, integration: { id: DEFAULT_INTEGRATION_ID, provider } };
}

function providerOf({ channel, provider }: Leaf): Pick<ProviderStatus, 'channel' | 'provider'> {
  return { channel: { key: channel, template: '' }, provider };
}
