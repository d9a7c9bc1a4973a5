import type { AnyDecision, StoredDecision } from '@tidings/contracts/messaging/decisions';
import { type ExplainedMessage, isFailure, shownInstant, shownRecipient, wordsOf } from '@tidings/contracts/messaging/decision-sentences';
import type {
  ExplainedDecision,
  ExplainedOutcome,
  MessageExplanation,
  NextAttempt,
  Remedy,
} from '@tidings/contracts/messaging/explanations';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { retryWindowEnd } from '../../deliver/retry-plan';
import type { LeafRecord } from '../../record/leaf-record';
import type { MessageRow } from '../../record/message-row';
import type { RouteInProgress } from '../../record/routes-in-progress';
import { expandEvents } from '../../record/stored-events';
import type { HistoryRow } from '../messages.handlers';

/** A message with what it waits for. */
export interface ExplainedRow extends MessageRow {
  archived: boolean;
  tenant_id: string | null;
  /** When its next step is due, ms since the epoch; null where it starts with an event, or no step follows. */
  open_due_at: number | null;
}

/** A decision with its time, ms since the epoch. */
interface TimedDecision {
  readonly at?: number;
  readonly decision: AnyDecision;
}

const OUTCOMES: Readonly<Partial<Record<MessageStatus, ExplainedOutcome>>> = {
  DELIVERED: 'delivered',
  OPENED: 'delivered',
  CLICKED: 'delivered',
  SENT: 'sent',
  SIMULATED: 'simulated',
  CANCELED: 'canceled',
  UNMAPPED: 'not_sent',
  FILTERED: 'not_sent',
  UNROUTABLE: 'not_sent',
};

/** Explains a message from its row and its stored steps, in order; none where its history is removed. Pure. */
export function explain(row: ExplainedRow, steps: readonly HistoryRow[]): MessageExplanation {
  const events = eventsOf(row, steps);
  const send = sendOf(events);
  const message = {
    userId: send.userId,
    recipient: row.recipient,
    hasSettings: send.channels !== undefined || send.providers !== undefined || send.routing !== undefined,
  };
  const waiting = (row.in_progress ?? []).map((route) => waitingOn(route, events));
  const decisions: TimedDecision[] = [
    ...events.flatMap((event) => decisionsOf(event, row, send, events)),
    ...waiting.map((decision) => ({ decision })),
    ...(row.archived ? [{ decision: { code: 'archived' } as const }] : []),
  ];
  const stops = stopsOf(decisions, message);
  const outcome = outcomeOf(row);
  return {
    sentence: `${sentenceOf(outcome, row, message, stops, waiting)}.`,
    outcome,
    source:
      events.some(({ shown, decided }) => shown.type === 'PROFILE_LOADED' && !decided) || events.length === 0 ? 'history' : 'decisions',
    decisions: decisions.map(({ at, decision }) => toExplained(at, decision, message)),
    next_attempt: nextAttemptOf(row, waiting),
    remedies: outcome === 'not_sent' || outcome === 'failed' ? distinctRemedies(stops) : [],
  };
}

/** An event as it is shown, with what is stored beside. */
interface ExplainedEvent {
  readonly shown: HistoryEvent;
  readonly stored: HistoryEvent;
  readonly decided?: readonly StoredDecision[];
}

function eventsOf({ id }: ExplainedRow, steps: readonly HistoryRow[]): ExplainedEvent[] {
  return steps.flatMap(({ number, at, events }) =>
    expandEvents(events, { messageId: uuidToMessageId(id), number, atMs: Number(at) }).map((shown, index) => {
      const stored = events[index]!;
      return { shown, stored, decided: stored.decided as StoredDecision[] | undefined };
    }),
  );
}

/** The request, as far as the history has it. */
function sendOf(events: readonly ExplainedEvent[]): Partial<MessageRequested> {
  return events.find(({ shown }) => shown.type === 'ENQUEUED')?.stored.send ?? {};
}

/** Decisions that stop a message before any route; their event says nothing more. */
const STOPPED_BY: readonly string[] = [
  'preference',
  'removed',
  'lacks',
  'condition',
  'unconfigured',
  'skipped',
] satisfies StoredDecision['code'][];

/** The decisions that an event stands for, after those that are stored with it. */
function decisionsOf(
  { shown, decided = [] }: ExplainedEvent,
  row: ExplainedRow,
  send: Partial<MessageRequested>,
  all: readonly ExplainedEvent[],
): TimedDecision[] {
  const of = routeOf(shown);
  const at = shown.ts;
  const planned = decided.filter((decision) => !isFailure(decision));
  const own = decisionOf();
  return [...planned, ...(own ? [own] : [])].map((decision) => ({ at, decision }));

  function decisionOf(): AnyDecision | undefined {
    switch (shown.type) {
      case 'ENQUEUED': {
        const [tenant, tenantIsOnly] = [row.tenant_id ?? undefined, row.tenant_id !== null && send.tenantId === undefined];
        return { code: 'recipient', tenant, tenantIsOnly, list: send.list?.id, request: send.requestId };
      }
      case 'MAPPED':
        return { code: 'template', name: textOf(shown.event_id), template: textOf(shown.notification_id) };
      case 'UNMAPPED':
        return { code: 'template', name: textOf(shown.event_id) };
      case 'DELAYED':
        return { code: 'delayed', untilMs: shown.until as number };
      case 'ROUTED':
        return { code: 'tried', ...of };
      case 'SENT':
        return { code: 'accepted', ...of, ...answerOf(row.providers, of) };
      case 'DELIVERED':
        return { code: 'delivered', ...of };
      case 'OPENED':
        return { code: 'opened', ...of };
      case 'CLICKED':
        return { code: 'clicked', ...of };
      case 'SIMULATED':
        return { code: 'simulated', ...of };
      case 'CANCELED':
        return { code: 'canceled' };
      case 'FILTERED':
      case 'UNROUTABLE':
      case 'UNDELIVERABLE':
        return failureOf();
      default:
        return undefined;
    }
  }

  function failureOf(): AnyDecision | undefined {
    const error = textOf(shown.error_message) || (row.error ?? 'the reason is not stored any more');
    if (shown.reason === 'UNPUBLISHED') return { code: 'unpublished', error };
    const why = decided.find(isFailure);
    const isPlanned = of.provider === '' && all.some((event) => event.decided?.some((one) => STOPPED_BY.includes(one.code)));
    if (!why && isPlanned) return undefined;
    if (shown.type === 'FILTERED') return { code: 'filtered', error };
    const named = of.provider === '' ? {} : of;
    return { code: 'failed', ...named, why, error, reason: row.reason ?? undefined, rule: textOf(shown.rule) || undefined };
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** The route that an event names; empty names where it names none. */
function routeOf({ channel, integration }: HistoryEvent) {
  const { id: channelId = '' } = (channel ?? {}) as { id?: string };
  const { id, provider = '' } = (integration ?? {}) as { id?: string; provider?: string };
  return { channel: channelId, provider, configuration: id || undefined };
}

type Route = ReturnType<typeof routeOf>;

/** How often the provider of a route was called, and what it answered. */
function answerOf(records: readonly LeafRecord[] | null, { channel, configuration }: Route) {
  const record = records?.find((one) => one.channel.key === channel && one.configuration_id === configuration);
  return { attempts: record?.attempts, response: record?.reference?.reply };
}

function waitingOn({ channel, integration, provider, attempt, next_at, ...route }: RouteInProgress, events: readonly ExplainedEvent[]) {
  const rendered = events.findLast(({ shown }) => shown.type === 'RENDERED' && routeOf(shown).configuration === integration);
  const untilMs = retryWindowEnd({ sinceMs: route.since_ms, untilMs: rendered?.stored.until as number | undefined });
  const error = (next_at === null ? undefined : route.wait_reason) ?? route.last_error ?? undefined;
  const names = { channel, provider, configuration: integration };
  return { code: 'waiting' as const, ...names, attempts: attempt, atMs: next_at ?? undefined, untilMs, error };
}

type Waiting = ReturnType<typeof waitingOn>;

function toExplained(at: number | undefined, decision: AnyDecision, message: ExplainedMessage): ExplainedDecision {
  const { question, answer, whose, subject } = wordsOf(decision, message);
  const rule = decision.code === 'failed' ? (decision.why?.code ?? decision.code) : decision.code;
  return { at, question, answer, rule, whose, subject };
}

/** What stopped the message: the routes that failed, or else what kept it from having one. */
function stopsOf(decisions: readonly TimedDecision[], message: ExplainedMessage) {
  const failed = decisions.filter(({ decision }) => decision.code === 'failed');
  const stopping = (failed.length > 0 ? failed : decisions).map(({ decision }) => wordsOf(decision, message));
  return stopping.filter(({ stops }) => stops !== undefined);
}

function outcomeOf({ status, providers }: ExplainedRow): ExplainedOutcome {
  if (status !== 'UNDELIVERABLE') return OUTCOMES[status] ?? 'waiting';
  const called = (providers ?? []).some(({ provider, attempts = 1 }) => provider !== '' && attempts > 0);
  return called ? 'failed' : 'not_sent';
}

/** Without its full stop. */
function sentenceOf(
  outcome: ExplainedOutcome,
  row: ExplainedRow,
  message: ExplainedMessage,
  stops: ReturnType<typeof stopsOf>,
  waiting: readonly Waiting[],
) {
  const who = shownRecipient(message);
  const at = (ms: string | null) => (ms === null ? '' : ` at ${shownInstant(Number(ms))}`);
  const records = row.providers ?? [];
  const route = records.findLast(({ status }) => status !== 'UNDELIVERABLE');
  const by = route ? ` by ${route.provider} on ${route.channel.key}` : '';
  const failed = records.filter(({ status }) => status === 'UNDELIVERABLE').length;
  const after = failed > 0 ? `, after ${failed === 1 ? 'another route' : `${failed} other routes`} failed` : '';
  switch (outcome) {
    case 'delivered':
      return `Delivered to ${who}${by}${at(row.delivered_at ?? row.sent_at)}${after}${row.opened_at ? `; opened${at(row.opened_at)}` : ''}`;
    case 'sent':
      return `Accepted for ${who}${by}${at(row.sent_at)}${after}; the provider has not reported the delivery`;
    case 'simulated':
      return `Not sent to ${who}: it was sent with a test key, which calls no provider`;
    case 'canceled':
      return `Canceled${at(row.canceled_at)}, before a provider was called`;
    case 'waiting':
      return waitingSentence(row, who, waiting);
    default: {
      const why = stops.map((one) => one.stops).join('; ') || row.error || 'the reason is not stored any more';
      return `${outcome === 'failed' ? 'Not delivered' : 'Not sent'}: ${why}`;
    }
  }
}

function waitingSentence({ status, open_due_at }: ExplainedRow, who: string, [route]: readonly Waiting[]) {
  if (route) {
    const name = `${route.provider} on ${route.channel}`;
    if (route.atMs === undefined) return `In progress: ${name} is being called for ${who}`;
    const tries = route.attempts === 0 ? 'called' : 'called again';
    return `Waiting: ${name} is ${tries} at ${shownInstant(route.atMs)}${route.error === undefined ? '' : `, because: ${route.error}`}`;
  }
  if (status === 'DELAYED' && open_due_at !== null) return `Waiting: it is sent to ${who} at ${shownInstant(open_due_at)}`;
  return `Waiting to be processed for ${who}`;
}

function nextAttemptOf({ status, open_due_at }: ExplainedRow, waiting: readonly Waiting[]): NextAttempt | undefined {
  const [route] = [...waiting].sort((one, other) => (one.atMs ?? 0) - (other.atMs ?? 0));
  if (route) {
    const { atMs: at, channel, provider, configuration: configuration_id, untilMs: until, error } = route;
    return { at, channel, provider, configuration_id, until, error };
  }
  return open_due_at === null || status === 'CANCELED' ? undefined : { at: open_due_at };
}

function distinctRemedies(stops: ReturnType<typeof stopsOf>): Remedy[] {
  return [...new Map(stops.flatMap(({ remedy }) => (remedy ? [[remedy.text, remedy] as const] : []))).values()];
}
