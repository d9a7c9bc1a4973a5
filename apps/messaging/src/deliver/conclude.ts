import type { TokenReport } from '@tidings/contracts/identity/user-tokens';
import type { StoredFailure } from '@tidings/contracts/messaging/decisions';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageReason } from '@tidings/contracts/messaging/message-states';
import type { Accepted, Outcome, PushTicket, RefusedToken } from '@tidings/providers/provider';
import { addressesOf } from '@tidings/providers/recipient';
import { leafFields, leafOf, type LeafRecord, withLastError } from '../record/leaf-record';
import type { AttemptKey, FinalOutcome, PostponedOutcome, RetryOutcome } from '../record/delivery-store';
import { storable } from '../record/storable';
import { suppressionFailure } from '../suppressions/found-suppressions';
import type { FoundSuppression } from '../suppressions/suppression-store';
import type { SuppressionReport } from '../suppressions/suppressions';
import type { LeasedDelivery } from './leased-delivery';
import type { CallOutcome, NotAttempted, Postponed } from './provider-calls';
import { retryDelayMs, retryWindowEnd } from './retry-plan';

/** What is stored of an attempt: the end of the delivery, a retry, or a call that was postponed. */
export type Conclusion =
  | {
      kind: 'final';
      outcome: FinalOutcome;
      tokens: readonly TokenReport[];
      tickets?: readonly PushTicket[];
      bounce?: SuppressionReport;
    }
  | { kind: 'retry'; outcome: RetryOutcome }
  | { kind: 'postponed'; outcome: PostponedOutcome };

/**
 * Decides what the outcome of an attempt means for its delivery. Its times are ms since the epoch. Pure; `random` is in [0, 1),
 * `firstRetryMs` as for `retryDelayMs`.
 */
export function conclude(
  delivery: LeasedDelivery,
  result: CallOutcome | Postponed | NotAttempted,
  { startedMs, endedMs: ts }: { startedMs: number; endedMs: number },
  random: number,
  firstRetryMs?: number,
): Conclusion {
  if (result.kind === 'postponed') {
    // A slot always lies within the retry window. Other deliveries come due again when their window ends, and end then.
    const restMs = retryWindowEnd(delivery.retryWindow) - ts;
    const delayMs = result.hasSlot ? result.delayMs : Math.min(result.delayMs, restMs);
    const wait_reason = result.hasSlot ? undefined : result.error;
    if (delayMs > 0)
      return { kind: 'postponed', outcome: { ...keyOf(delivery), delay_ms: delayMs, has_slot: result.hasSlot, wait_reason } };
  }
  if (result.kind === 'postponed' || result.kind === 'not-attempted') {
    const { lastAnswer } = delivery;
    const attempts = delivery.attempt - 1;
    const error = withLastError(result.error, attempts, lastAnswer?.error);
    const why = { code: 'uncalled', why: result.why } as const;
    return failed(delivery, { error, reason: 'PROVIDER_ERROR', response: lastAnswer?.response, why }, ts, [], [], attempts);
  }
  const outcome = storableOutcome(result);
  // Stored with the first outcome: a write of its own would cost as much as the outcome's.
  const delivering: HistoryEvent[] = delivery.isAnnounced ? [] : [{ ts: startedMs, type: 'DELIVERING', ...leafFields(delivery) }];
  const tokens = tokenReportsOf(delivery, outcome, ts);
  if (outcome.kind === 'accepted') {
    const { reference, delivered } = outcome;
    const { channel, integration } = leafFields(delivery);
    const events: HistoryEvent[] = [...delivering, { ts, type: 'SENT', channel, integration }];
    if (delivered) events.push({ ts, type: 'DELIVERED', channel, integration, reference });
    const times = { sent: ts, delivered: delivered ? ts : undefined };
    const record = { status: delivered ? 'DELIVERED' : 'SENT', reference, providerResponse: providerResponse(outcome), ...times } as const;
    const conclusion = final(delivery, record, events, ts, tokens);
    return outcome.tickets ? { ...conclusion, tickets: outcome.tickets } : conclusion;
  }
  if (outcome.kind === 'failed') {
    const conclusion = failed(delivery, { ...outcome, why: { code: 'refused', cause: outcome.cause } }, ts, delivering, tokens);
    return outcome.reasonCode === 'HARD' && !outcome.isOfMail ? Object.assign(conclusion, { bounce: bounceOf(delivery) }) : conclusion;
  }
  const { hasNext } = delivery.retryWindow;
  const failure = result.isOutdated ? { number: 1, hasNext } : { number: delivery.attempt, hasNext, retryAfterMs: outcome.retryAfterMs };
  const delayMs = retryDelayMs(failure, random, firstRetryMs);
  if (ts + delayMs <= retryWindowEnd(delivery.retryWindow)) {
    const { error, response } = outcome;
    return { kind: 'retry', outcome: { ...keyOf(delivery), delay_ms: delayMs, error, response, at: ts, events: delivering } };
  }
  const error = `Failed after ${delivery.attempt === 1 ? 'one attempt' : `${delivery.attempt} attempts; the last one`}: ${outcome.error}`;
  const why = { code: 'exhausted' } as const;
  return failed(delivery, { ...outcome, error, reason: outcome.reasonCode ? 'BOUNCED' : 'PROVIDER_ERROR', why }, ts, delivering);
}

/** The report of a hard bounce; undefined where several addresses were called, or the channel has no single ones. */
function bounceOf({ workspaceId, channel, recipient, provider, integration, messageId }: LeasedDelivery): SuppressionReport | undefined {
  const [address, another] = addressesOf(recipient);
  if (address === undefined || another !== undefined) return undefined;
  return { workspaceId, channel, address, reason: 'hard_bounce', source: provider, messageId, configurationId: integration };
}

/** Ends a delivery whose address was suppressed while it waited, after these `attempts`. */
export function suppressed(delivery: StoredDelivery, suppression: FoundSuppression, nowMs: number, attempts: number): Conclusion {
  return failed(delivery, suppressionFailure(suppression), nowMs, [], [], attempts);
}

/** Ends a delivery that could not be processed, after these `attempts`: retries would never end. The log has the cause. */
export function unprocessable(delivery: StoredDelivery, error: string, nowMs: number, attempts: number): Conclusion {
  return failed(delivery, { error, reason: 'FAILED', why: { code: 'unprocessable' } }, nowMs, [], [], attempts);
}

type StoredDelivery = Pick<
  LeasedDelivery,
  'workspaceId' | 'uuid' | 'leaf' | 'attempt' | 'channel' | 'integration' | 'provider' | 'alias' | 'more'
> &
  Partial<Pick<LeasedDelivery, 'retryWindow'>>;

/** The key of a delivery's open attempt. */
export function keyOf({ workspaceId, uuid, leaf, attempt }: StoredDelivery): AttemptKey {
  return { workspace_id: workspaceId, id: uuid, leaf, attempt };
}

function final(
  delivery: StoredDelivery,
  ended: Omit<LeafRecord, 'channel' | 'provider' | 'attempts'>,
  events: readonly HistoryEvent[],
  at: number,
  tokens: readonly TokenReport[] = [],
  made = delivery.attempt,
): Extract<Conclusion, { kind: 'final' }> {
  const attempts = made === 1 ? undefined : made;
  const { status, sent, delivered, reference, error, reason, providerResponse } = ended;
  // Names after a spread cost a call of V8's runtime each (docs/benchmarks.md), so a spread stands last.
  const record = {
    status,
    sent,
    delivered,
    reference,
    error,
    reason,
    providerResponse,
    attempts,
    ...leafOf(delivery),
  };
  const since_ms = delivery.retryWindow?.sinceMs;
  return { kind: 'final', outcome: { more: delivery.more, record, since_ms, at, events, ...keyOf(delivery) }, tokens };
}

/** The end of a delivery without success, after the events `before` and the calls that were `made`. */
function failed(
  delivery: StoredDelivery,
  failure: Answer & { error: string; reason: MessageReason; reasonCode?: 'HARD' | 'SOFT'; why: StoredFailure },
  ts: number,
  before: readonly HistoryEvent[] = [],
  tokens?: readonly TokenReport[],
  made?: number,
): Conclusion {
  const { error, reason, reasonCode, why } = failure;
  const record = { status: 'UNDELIVERABLE', error, reason, providerResponse: providerResponse(failure) } as const;
  const event: HistoryEvent = {
    ts,
    type: 'UNDELIVERABLE',
    ...leafFields(delivery),
    error_message: error,
    reason,
    reasonCode,
    decided: [why],
  };
  return final(delivery, record, [...before, event], ts, tokens, made);
}

/** Receivers may answer any text; characters that PostgreSQL cannot hold must not prevent the outcome from being stored. */
function storableOutcome(outcome: Outcome): Outcome {
  const { response } = outcome;
  const stored = response && { response: { ...response, body: storable(response.body) } };
  if (outcome.kind !== 'accepted') return { ...outcome, ...stored, error: storable(outcome.error) };
  const reference = Object.entries(outcome.reference).map(([name, value]) => [storable(name), storable(value)]);
  return Object.assign({}, outcome, stored, { reference: Object.fromEntries(reference) as Record<string, string> });
}

/** Characters of refused tokens that the record of a message names. */
const REFUSED_CHARS_MAX = 16_384;

type Answer = Pick<Accepted, 'response' | 'refusedTokens'>;

/** The receiver's response and the tokens that it refused. */
function providerResponse({ response, refusedTokens = [] }: Answer) {
  let chars = 0;
  const named = refusedTokens.filter(({ token }) => (chars += token.length) <= REFUSED_CHARS_MAX);
  return named.length === 0 ? response : { ...response, refused_tokens: named.map(shownRefusal) };
}

function shownRefusal({ token, outcome, code }: RefusedToken) {
  return { token, outcome, code: code ? storable(code) : undefined };
}

/**
 * Reports about push tokens from the outcome of a call: refused tokens, and accepted stored tokens whose status was not `active`.
 * @param answeredAt time of the push service's answer, ms since the epoch.
 */
function tokenReportsOf({ workspaceId: workspace_id, recipient }: LeasedDelivery, outcome: Outcome, answeredAt: number) {
  if (recipient.channel !== 'push' || outcome.kind === 'retry') return [];
  const refused = (outcome.refusedTokens ?? []).map((one) => ({ ...shownRefusal(one), at: one.at ?? answeredAt }));
  const refusedTexts = new Set(refused.map(({ token }) => token));
  const reached = outcome.kind === 'accepted' ? recipient.tokens : [];
  return [
    ...refused,
    ...reached.flatMap(({ token, status = 'active' }) =>
      status === 'active' || refusedTexts.has(token) ? [] : [{ token, outcome: 'accepted' as const, at: answeredAt }],
    ),
  ].map((report) => ({ workspace_id, ...report }));
}
