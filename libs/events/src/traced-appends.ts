import { isTracing, withSpan } from '@tidings/tracing/spans';
import { isSampled, type TraceContext, type Traced, traceContextOf } from '@tidings/tracing/trace-context';

/**
 * Appends events within a span of their trace. Where this process does not trace, the records carry on the trace as it was given.
 * @param append gets the context that the records carry.
 */
export async function inAppendSpan(
  topic: string,
  trace: Traced,
  events: readonly { readonly id: string }[],
  append: (context: TraceContext) => Promise<void>,
): Promise<void> {
  const given = traceContextOf(trace)!;
  if (!isTracing()) return append(given);
  const attributes = {
    'messaging.system': 'tidings',
    'messaging.operation.name': 'append',
    'messaging.destination.name': topic,
    'messaging.batch.message_count': events.length,
    'messaging.message.id': events[0]?.id,
  };
  await withSpan({ name: `append ${topic}`, kind: 'producer', parent: given, attributes }, (span) => append(span?.context ?? given));
}

/** Appends several calls together: a span of its own, with links to theirs. A single call needs none. */
export async function tracedBatch(calls: readonly { readonly trace?: TraceContext }[], append: () => Promise<void>): Promise<void> {
  const links = calls.flatMap(({ trace }) => (trace && isSampled(trace) ? [trace] : []));
  if (links.length < 2) return append();
  const attributes = { 'messaging.batch.message_count': calls.length };
  await withSpan({ name: 'append batch', kind: 'client', links, attributes }, append);
}
