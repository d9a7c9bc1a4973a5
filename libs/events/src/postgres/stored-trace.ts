import { readTraceContext, type TraceContext } from '@tidings/tracing/trace-context';

/** The trace of a record in its column: `traceparent`, and after a blank `tracestate` if there is one. */
export function storedTrace({ traceparent, tracestate }: TraceContext): string {
  return tracestate === undefined ? traceparent : `${traceparent} ${tracestate}`;
}

/** The trace in a record's column; `undefined` for a text that is none. */
export function traceIn(text: string): TraceContext | undefined {
  const blank = text.indexOf(' ');
  return blank < 0 ? readTraceContext(text) : readTraceContext(text.slice(0, blank), text.slice(blank + 1));
}
