import { isSampled, type TraceContext, type Traced, traceContextOf } from './trace-context';

/** What a span is to its peer: `server` answers it, `client` calls it; `producer` and `consumer` meet through a log. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** Bounded values only: names of operations, ids, numbers. Never an address, content, a secret, or the text of an error. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** What a span begins with. */
export interface SpanStart {
  /** Of a small set: the operation, without ids. */
  readonly name: string;
  readonly kind: SpanKind;
  /** What caused it. Absent: the span begins a trace. */
  readonly parent?: Traced;
  readonly attributes?: SpanAttributes;
  /** Spans of other traces that it works for, as those of the records of a batch; at most `LINKS_MAX` are recorded. */
  readonly links?: readonly TraceContext[];
}

/** A piece of work within a trace. */
export interface Span {
  /** To pass on with what the span causes. */
  readonly context: TraceContext;
  set(attributes: SpanAttributes): void;
  /** Marks the work as failed. @param type of a small set: an error's code, an outcome. */
  fail(type: string): void;
  /** Call once. */
  end(): void;
}

/** Links of one span: more would make a batch's span larger than those of its messages. */
export const LINKS_MAX = 128;

/** Makes spans; installed by `startTracing`. */
export type SpanStarter = (start: SpanStart) => Span;

let starter: SpanStarter | undefined;

/** Installs what makes spans in this process; `undefined` ends tracing. */
export function useSpans(next: SpanStarter | undefined): void {
  starter = next;
}

/** Whether this process records spans. Callers ask before they make the arguments of `startSpan`, so that tracing costs nothing when off. */
export function isTracing(): boolean {
  return starter !== undefined;
}

/** The trace of something, to be noted with what continues it later; `undefined` where no span of it would be recorded. */
export function traceToContinue(traced: Traced | undefined): TraceContext | undefined {
  return starter && traced && isSampled(traced) ? traceContextOf(traced) : undefined;
}

/** A span that the caller ends; `undefined` when tracing is off. */
export function startSpan(start: SpanStart): Span | undefined {
  return starter?.(start);
}

/** Runs `work` within a span, which fails with it. Call where `isTracing`. */
export async function withSpan<Result>(start: SpanStart, work: (span: Span | undefined) => Promise<Result>): Promise<Result> {
  const span = startSpan(start);
  try {
    return await work(span);
  } catch (error) {
    span?.fail(errorTypeOf(error));
    throw error;
  } finally {
    span?.end();
  }
}

/** The code of an error, or its class: never its text. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
