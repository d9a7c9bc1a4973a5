import { Logger } from '@nestjs/common';
import { withIds } from '@tidings/tracing/work-ids';
import { isTracing, type Span, startSpan } from '@tidings/tracing/spans';
import { readTraceContext, type TraceContext, traceIdOf } from '@tidings/tracing/trace-context';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const logger = new Logger('Access');
/** The first status that says that the server failed. */
const SERVER_ERROR = 500;

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request; without tracing the client's own, `undefined` if it sent none. */
    trace: TraceContext | undefined;
  }
}

/** Traces requests and logs them, if the process does; otherwise requests pass nothing of it. Call before routes are added. */
export function observeRequests(instance: FastifyInstance, logsRequests: boolean): void {
  instance.decorateRequest('trace', undefined);
  if (!isTracing() && !logsRequests) return;
  instance.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    const span = startServerSpan(request);
    reply.raw.once('close', () => {
      const { statusCode, writableFinished } = reply.raw;
      const status = writableFinished ? statusCode : undefined;
      const workspaceId = request.caller?.workspaceId;
      endServerSpan(span, status, workspaceId);
      if (!logsRequests) return;
      const { method } = request;
      const trace = traceOf(request);
      const ids = { traceId: trace && traceIdOf(trace), requestId: request.id, workspaceId };
      const line = { method, route: routeOf(request), status, durationMs: Math.round((performance.now() - startedAt) * 10) / 10 };
      logger.debug({ message: status ? 'Answered' : 'The client has disconnected', ...line, ...ids });
    });
    done();
  });
}

/** The trace context of a request: its span, or the client's own. */
export function traceOf(request: FastifyRequest): TraceContext | undefined {
  return request.trace ?? readTraceContext(request.headers.traceparent, request.headers.tracestate);
}

/** Runs work for a request: lines of the log have its ids, and calls belong to its trace. Call where `isWorkFollowed`. */
export function withRequestIds<Result>(request: FastifyRequest, work: () => Result): Result {
  return withIds({ trace: traceOf(request), requestId: request.id, workspaceId: request.caller?.workspaceId }, work);
}

function startServerSpan(request: FastifyRequest) {
  if (!isTracing()) return undefined;
  const { traceparent, tracestate } = request.headers;
  const route = routeOf(request);
  const span = startSpan({
    name: route === undefined ? request.method : `${request.method} ${route}`,
    kind: 'server',
    parent: readTraceContext(traceparent, tracestate),
    attributes: { 'http.request.method': request.method, 'http.route': route, 'tidings.request_id': request.id },
  });
  request.trace = span?.context;
  return span;
}

function endServerSpan(span: Span | undefined, status: number | undefined, workspaceId: string | undefined) {
  if (!span) return;
  span.set({ 'http.response.status_code': status, 'tidings.workspace_id': workspaceId });
  if (status === undefined) span.fail('disconnected');
  else if (status >= SERVER_ERROR) span.fail(String(status));
  span.end();
}

/** The route with the names of its parameters: no path of a client, which may hold addresses and tokens. */
function routeOf({ routeOptions }: FastifyRequest) {
  return routeOptions.url;
}
