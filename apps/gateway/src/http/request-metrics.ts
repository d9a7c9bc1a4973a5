import type { FastifyInstance, FastifyRequest } from 'fastify';
import { METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';

declare module 'fastify' {
  interface FastifyRequest {
    /** When its headers were read, by `performance.now()`. */
    startedAt: number;
    /** Name of its operation in the metrics; null once it is counted. */
    countedAs: string | null;
  }
}

const REQUESTS = metrics.counter(METRICS.httpRequests);
const DURATION = metrics.histogram(METRICS.httpDuration);

/** Requests outside the operations: pages, health, unknown paths. */
const OTHER = 'other';
/** Status of a request whose client has left before the answer. */
export const CLIENT_LEFT = 499;

/** Prepares every request of the instance to be counted. Call before its routes are added. */
export function countRequests(instance: FastifyInstance): void {
  instance.decorateRequest('startedAt', 0);
  instance.decorateRequest('countedAs', OTHER);
  instance.addHook('onRequest', (request, _reply, done) => {
    request.startedAt = performance.now();
    done();
  });
}

/** Counts a request by its answer, once. */
export function countAnswer(request: FastifyRequest, status: number): void {
  // A request whose target Fastify cannot parse has neither.
  const { countedAs: operation = OTHER, startedAt = 0 } = request as Partial<FastifyRequest>;
  if (operation === null) return;
  request.countedAs = null;
  const labels = { operation, status: String(status) };
  REQUESTS.inc(labels);
  if (startedAt > 0) DURATION.observe(labels, (performance.now() - startedAt) / 1_000);
}

/** Answers of which alerts take the rate: of a series that begins with its first errors, Prometheus does not see these. */
const FAILURES = [500, 503, 504];

/**
 * Shows an operation with 0 in the metrics. Its failures, and its durations, are shown from the first on; those of `isMeasured` from the
 * start.
 */
export function announceRequests(operation: string, status: number, isMeasured: boolean): void {
  const labels = { operation, status: String(status) };
  metrics.announce(METRICS.httpRequests, labels);
  if (!isMeasured) return;
  metrics.announce(METRICS.httpDuration, labels);
  for (const failure of FAILURES) metrics.announce(METRICS.httpRequests, { operation, status: String(failure) });
}
