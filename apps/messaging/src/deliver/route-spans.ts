import { withIds } from '@tidings/tracing/work-ids';
import { errorTypeOf, type Span, startSpan, withSpan } from '@tidings/tracing/spans';
import { isSampled, type TraceContext, traceIdOf } from '@tidings/tracing/trace-context';
import type { PipelineItem } from '../plan/plan';

/**
 * Processes messages, each within a span of its own trace. What is done for several together, as loading their recipients, belongs to a
 * span of the batch, which begins a trace unless all are of one: the two have links to each other. `process` gets the messages with the
 * contexts of their spans, which what follows from them continues. Call where `isTracing`.
 */
export async function inRouteSpans<Result>(
  items: readonly PipelineItem[],
  process: (items: readonly PipelineItem[]) => Promise<Result>,
): Promise<Result> {
  const traces = items.flatMap(({ request: { trace } }) => (trace && isSampled(trace) ? [trace] : []));
  if (traces.length === 0) return process(items);
  if (traces.length === 1) return processTraced(items, undefined, process);
  const attributes = { 'messaging.batch.message_count': items.length };
  const [first] = traces as [TraceContext];
  // The messages of a list belong to one send.
  const parent = traces.every((trace) => traceIdOf(trace) === traceIdOf(first)) ? first : undefined;
  return withSpan({ name: 'route batch', kind: 'consumer', parent, links: traces, attributes }, (batch) =>
    processTraced(items, batch?.context, process),
  );
}

async function processTraced<Result>(
  items: readonly PipelineItem[],
  batch: TraceContext | undefined,
  process: (items: readonly PipelineItem[]) => Promise<Result>,
) {
  const spans: Span[] = [];
  const traced = items.map((item) => {
    const span = startRouteSpan(item, batch);
    if (!span) return item;
    spans.push(span);
    return { ...item, request: { ...item.request, trace: span.context } };
  });
  try {
    return await withIds(idsOf(items, batch ?? spans[0]?.context), () => process(traced));
  } catch (error) {
    for (const span of spans) span.fail(errorTypeOf(error));
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}

function startRouteSpan({ request, claimed }: PipelineItem, batch: TraceContext | undefined) {
  const { trace, id, workspaceId, lane = 'normal' } = request;
  if (!trace || !isSampled(trace)) return undefined;
  const attributes = { 'tidings.message_id': id, 'tidings.workspace_id': workspaceId, 'tidings.lane': lane };
  const name = nameOf(claimed);
  return startSpan({ name, kind: claimed ? 'internal' : 'consumer', parent: trace, links: batch && [batch], attributes });
}

/** What this step does with a message. */
function nameOf(claimed: PipelineItem['claimed']) {
  if (!claimed?.routed) return 'route message';
  return claimed.routed.records.some(({ status }) => status === 'UNDELIVERABLE') ? 'fail over message' : 'continue message';
}

function idsOf(items: readonly PipelineItem[], trace: TraceContext | undefined) {
  const [first] = items;
  if (!first || items.length > 1) return { trace };
  return { trace, messageId: first.request.id, workspaceId: first.request.workspaceId };
}
