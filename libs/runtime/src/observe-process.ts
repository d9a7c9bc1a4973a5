import { Logger } from '@nestjs/common';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { isFollowingCheap, followWork } from '@tidings/tracing/work-ids';
import { startTracing } from '@tidings/tracing/start-tracing';
import { type Configuration, isDebugging, type ProcessName } from './configuration';
import { VERSION } from './version';

/** How long the end of a process waits for its spans to be sent, in ms: a part of the limit of all stops. */
const FLUSH_MS_MAX = 5_000;
/** While the collector is unavailable every batch fails. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Starts tracing if the configuration asks for it, and adds the ids of the work at hand to the log where that is free, or wanted: while
 * tracing, and at the levels `debug` and `trace`. Before Node.js 24 it costs every promise of the process.
 * @returns what sends the recorded spans and ends tracing; `undefined` without tracing.
 */
export function observeProcess(name: ProcessName, configuration: Configuration): (() => Promise<void>) | undefined {
  if (isFollowingCheap || isDebugging(configuration)) followWork();
  if (!configuration.tracing) return undefined;
  const logger = new Logger('Tracing');
  let nextLogAt = -Infinity;
  const onError = (error: Error) => {
    const now = performance.now();
    if (now < nextLogAt) return;
    nextLogAt = now + LOG_INTERVAL_MS;
    logger.warn(`Spans could not be sent (logged at most every ${LOG_INTERVAL_MS / 1000} s): ${error.message}`);
  };
  const tracing = startTracing(configuration.tracing, { serviceName: `tidings-${name}`, version: VERSION, onError });
  return async () => {
    if (!(await withTimeout(FLUSH_MS_MAX, tracing.close()))) logger.warn(`Spans were not sent within ${FLUSH_MS_MAX} ms`);
  };
}
