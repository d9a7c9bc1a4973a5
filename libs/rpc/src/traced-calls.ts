import { isWorkFollowed, currentIds, withIds } from '@tidings/tracing/work-ids';
import { isTracing, type Span, type SpanStart, withSpan } from '@tidings/tracing/spans';
import { traceContextOf, type TraceContext } from '@tidings/tracing/trace-context';
import { outcomeOf, type ReplyRecord, type RequestRecord } from './envelope';
import type { OutgoingRequest } from './operation-client';

/**
 * Exchanges a request within a span of the trace that its context names, or else of the work at hand. A call that belongs to no trace
 * has none: what processes ask each other by themselves is no trace of its own.
 */
export async function tracedExchange(
  outgoing: OutgoingRequest,
  exchange: (request: OutgoingRequest) => Promise<ReplyRecord>,
): Promise<ReplyRecord> {
  const { service, record } = outgoing;
  const parent = traceContextOf(record.headers) ?? currentIds()?.trace;
  if (!parent) return exchange(outgoing);
  return withSpan(spanOf(record, 'client', parent, { 'server.name': service }), async (span) => {
    const reply = await exchange(span ? { ...outgoing, record: within(span, record) } : outgoing);
    noteOutcome(span, reply);
    return reply;
  });
}

/** Whether the calls that this process answers have spans, or their ids in the log. */
export function isCallObserved(): boolean {
  return isWorkFollowed() || isTracing();
}

/** Answers a request with its ids in the log and, if it belongs to a trace, within a span. */
export function answerWithIds(record: RequestRecord, answer: (record: RequestRecord) => Promise<ReplyRecord>): Promise<ReplyRecord> {
  const { headers } = record;
  const parent = traceContextOf(headers);
  const answered = (trace: TraceContext | undefined, observed: RequestRecord) =>
    withIds({ trace, requestId: headers.callId, workspaceId: headers.workspace || undefined }, () => answer(observed));
  if (!parent || !isTracing()) return answered(parent, record);
  return withSpan(spanOf(record, 'server', parent), async (span) => {
    const reply = await answered(span?.context, span ? within(span, record) : record);
    noteOutcome(span, reply);
    return reply;
  });
}

function spanOf(
  { headers }: RequestRecord,
  kind: SpanStart['kind'],
  parent: TraceContext,
  attributes?: SpanStart['attributes'],
): SpanStart {
  const { operation, callId, workspace } = headers;
  const ids = { 'tidings.request_id': callId, 'tidings.workspace_id': workspace || undefined };
  return { name: operation, kind, parent, attributes: { 'rpc.system.name': 'tidings', 'rpc.method': operation, ...ids, ...attributes } };
}

function within({ context }: Span, record: RequestRecord): RequestRecord {
  return { ...record, headers: { ...record.headers, ...context } };
}

function noteOutcome(span: Span | undefined, reply: ReplyRecord) {
  if (!span) return;
  const outcome = outcomeOf(reply);
  if (outcome !== 'ok') span.fail(outcome);
}
