import type { TokenReport } from '@tidings/contracts/identity/token-reports';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageReason } from '@tidings/contracts/messaging/message-states';
import type { Accepted, Outcome } from '@tidings/providers/provider';
import { tokenReportsOf } from '../tokens/token-reports-of';
import { leafOf, type LeafRecord, placeOf } from '../store/leaf-record';
import type { AttemptKey, FinalOutcome, PostponedOutcome, RetryOutcome } from '../store/outcome-store';
import { storable } from '../store/storable';
import type { LeasedDelivery } from './delivery';
import type { Postponed, NotAttempted } from './provider-calls';
import { retryDelayMs, retryWindowEnd } from './retry-plan';

export type Conclusion =
  | { kind: 'final'; outcome: FinalOutcome; tokens?: readonly TokenReport[] }
  | { kind: 'retry'; outcome: RetryOutcome }
  | { kind: 'postponed'; outcome: PostponedOutcome };

/** When an attempt was made and ended, ms since the epoch. */
interface AttemptTimes {
  readonly startedMs: number;
  readonly endedMs: number;
}

/** Decides what an attempt's outcome means for its delivery. Pure; `random` is in [0, 1), `firstRetryMs` as for `retryDelayMs`. */
export function conclude(
  delivery: LeasedDelivery,
  result: Outcome | Postponed | NotAttempted,
  { startedMs, endedMs: ts }: AttemptTimes,
  random: number,
  firstRetryMs?: number,
): Conclusion {
  if (result.kind === 'postponed') {
    // A slot always lies within the retry window. Other deliveries come due again when their window ends, and end then.
    const restMs = retryWindowEnd(delivery.patience) - ts;
    const delayMs = result.hasSlot ? result.delayMs : Math.min(result.delayMs, restMs);
    if (delayMs > 0) return { kind: 'postponed', outcome: { ...keyOf(delivery), delay_ms: delayMs, has_slot: result.hasSlot } };
  }
  if (result.kind === 'postponed' || result.kind === 'not-attempted') {
    const failure: Failure = { error: result.error, reason: 'PROVIDER_ERROR' };
    return final(delivery, failedRecord(delivery, failure.error, failure.reason), [undeliverable(delivery, failure, ts)], ts);
  }
  const outcome = storableOutcome(result);
  // Stored with the first outcome: a write of its own would cost as much as the outcome's.
  const delivering: HistoryEvent[] = delivery.isAnnounced ? [] : [{ ts: startedMs, type: 'DELIVERING', ...placeOf(delivery) }];
  const tokens = tokenReportsOf(delivery, outcome, ts);
  if (outcome.kind === 'accepted') {
    const events = [...delivering, ...acceptedEvents(delivery, outcome, ts)];
    return { ...final(delivery, acceptedRecord(delivery, outcome, ts), events, ts), ...(tokens.length > 0 && { tokens }) };
  }
  if (outcome.kind === 'failed') {
    const { error, reason, reasonCode } = outcome;
    const record = { ...failedRecord(delivery, error, reason), ...providerResponse(outcome) };
    const events = [...delivering, undeliverable(delivery, { error, reason, reasonCode }, ts)];
    return { ...final(delivery, record, events, ts), ...(tokens.length > 0 && { tokens }) };
  }
  const delayMs = retryDelayMs(
    { number: delivery.attempt, hasNext: delivery.patience.hasNext, retryAfterMs: outcome.retryAfterMs },
    random,
    firstRetryMs,
  );
  if (ts + delayMs <= retryWindowEnd(delivery.patience)) {
    return { kind: 'retry', outcome: { ...keyOf(delivery), delay_ms: delayMs, at: ts, events: delivering, count: delivering.length } };
  }
  const error = `Failed after ${delivery.attempt === 1 ? 'one attempt' : `${delivery.attempt} attempts; the last one`}: ${outcome.error}`;
  const reason = outcome.reasonCode ? 'BOUNCED' : 'PROVIDER_ERROR';
  const event = undeliverable(delivery, { error, reason, reasonCode: outcome.reasonCode }, ts);
  return final(delivery, { ...failedRecord(delivery, error, reason), ...providerResponse(outcome) }, [...delivering, event], ts);
}

/** Ends a delivery whose stored rows are inconsistent: no attempt can be made, and retries would never end. The log has the cause. */
export function unreadable(delivery: StoredDelivery, nowMs: number): Conclusion {
  return ended(delivery, 'Stored delivery is inconsistent', nowMs);
}

/** Ends a delivery whose provider's answer cannot be read: every retry would call the provider again. */
export function inconclusive(delivery: StoredDelivery, nowMs: number): Conclusion {
  return ended(delivery, "The provider's answer cannot be read: it may have delivered", nowMs);
}

function ended(delivery: StoredDelivery, error: string, nowMs: number): Conclusion {
  return final(delivery, failedRecord(delivery, error, 'FAILED'), [undeliverable(delivery, { error, reason: 'FAILED' }, nowMs)], nowMs);
}

type Final = Extract<Conclusion, { kind: 'final' }>;
type StoredDelivery = Pick<
  LeasedDelivery,
  'workspaceId' | 'uuid' | 'leaf' | 'attempt' | 'channel' | 'integration' | 'provider' | 'notification' | 'more'
>;

function keyOf({ workspaceId, uuid, leaf, attempt }: StoredDelivery): AttemptKey {
  return { workspace_id: workspaceId, id: uuid, leaf, attempt };
}

function final(delivery: StoredDelivery, record: LeafRecord, events: readonly HistoryEvent[], at: number): Final {
  return { kind: 'final', outcome: { ...keyOf(delivery), more: delivery.more, record, at, events, count: events.length } };
}

/** Receivers may answer any text; characters that PostgreSQL cannot hold must not prevent the outcome from being stored. */
function storableOutcome(outcome: Outcome): Outcome {
  const { response } = outcome;
  const stored = response && { response: { ...response, body: storable(response.body) } };
  if (outcome.kind !== 'accepted') return { ...outcome, ...stored, error: storable(outcome.error) };
  const reference = Object.entries(outcome.reference).map(([name, value]) => [storable(name), storable(value)]);
  return { ...outcome, ...stored, reference: Object.fromEntries(reference) as Record<string, string> };
}

function acceptedRecord(delivery: StoredDelivery, outcome: Accepted, ts: number): LeafRecord {
  const { reference, delivered } = outcome;
  return {
    ...leafOf(delivery, delivery.notification),
    status: delivered ? 'DELIVERED' : 'SENT',
    sent: ts,
    ...(delivered && { delivered: ts }),
    reference,
    ...providerResponse(outcome),
  };
}

/** Characters of refused tokens that the record of a message names. */
const REFUSED_CHARS_MAX = 16_384;

/** The receiver's response and the tokens that it refused. */
function providerResponse(outcome: Outcome): Pick<LeafRecord, 'providerResponse'> {
  const { response } = outcome;
  const refused = (outcome.kind !== 'retry' && outcome.refusedTokens) || [];
  let chars = 0;
  const named = refused.filter(({ token }) => (chars += token.length) <= REFUSED_CHARS_MAX);
  if (!response && named.length === 0) return {};
  return {
    providerResponse: {
      ...response,
      ...(named.length > 0 && {
        refused_tokens: named.map(({ token, outcome: how, code }) => ({ token, outcome: how, ...(code && { code: storable(code) }) })),
      }),
    },
  };
}

function acceptedEvents(delivery: StoredDelivery, { reference, delivered }: Accepted, ts: number): HistoryEvent[] {
  const where = placeOf(delivery);
  const sent: HistoryEvent = { ts, type: 'SENT', ...where };
  return delivered ? [sent, { ts, type: 'DELIVERED', ...where, reference }] : [sent];
}

function failedRecord(delivery: StoredDelivery, error: string, reason: MessageReason): LeafRecord {
  return { ...leafOf(delivery, delivery.notification), status: 'UNDELIVERABLE', error, reason };
}

interface Failure {
  readonly error: string;
  readonly reason: MessageReason;
  readonly reasonCode?: 'HARD' | 'SOFT';
}

function undeliverable(delivery: StoredDelivery, { error, reason, reasonCode }: Failure, ts: number): HistoryEvent {
  return { ts, type: 'UNDELIVERABLE', ...placeOf(delivery), error_message: error, reason, ...(reasonCode && { reasonCode }) };
}
