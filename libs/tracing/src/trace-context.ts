/** W3C trace context: which trace something belongs to, and the span that caused it. */
export interface TraceContext {
  /** `00-<trace id>-<span id>-<flags>`; the flag `01` says that the trace is sampled. */
  readonly traceparent: string;
  /** What other tracing systems pass on with it. */
  readonly tracestate?: string;
}

/** Something that may have a trace context: a call, the headers of a record. */
export type Traced = Partial<TraceContext>;

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** The longest `tracestate` that the specification asks systems to pass on. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;
const SAMPLED = 1;

/** The trace context in two headers; `undefined` where `traceparent` is none. An unfit `tracestate` is dropped. */
export function readTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return undefined;
  return typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? { traceparent, tracestate } : { traceparent };
}

/** The trace context alone, of something that has more; `undefined` where it has none. */
export function traceContextOf({ traceparent, tracestate }: Traced): TraceContext | undefined {
  if (traceparent === undefined) return undefined;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** Whether the spans of this trace are recorded. */
export function isSampled({ traceparent }: Traced): boolean {
  return traceparent !== undefined && (Number.parseInt(traceparent.slice(-2), 16) & SAMPLED) !== 0;
}

/** The id of the trace, 32 hexadecimal digits. */
export function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.slice(3, 35);
}
