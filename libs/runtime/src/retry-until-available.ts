import { setTimeout as delay } from 'node:timers/promises';
import { types } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { isTransientError } from '@tidings/events/transient';
import { UnfitTopic } from '@tidings/kafka/unfit-topic';
import { reasonOf } from '@tidings/persistence/errors';
import { redactText } from './redact';
import { systemTimers, type Timers } from './timers';

/** The first pause between two attempts, and the longest, in ms. */
const PAUSE_MS_FIRST = 250;
const PAUSE_MS_MAX = 5_000;

/** An unchanged reason is logged again after this time, in ms. */
const LOG_AGAIN_MS = 30_000;

/** At a start the dependencies start too: waiting for them is a warning only after this time, in ms. */
const USUAL_WAIT_MS = 30_000;

/** More than the longest chain of causes. */
const CAUSES_MAX = 10;

interface UntilAvailableOptions {
  /** Ends the wait at once; a running attempt is abandoned. */
  signal: AbortSignal;
  logger: LoggerService;
  /** Called before each pause with what is waited for, and the reason. */
  onWait?: (state: string) => void;
  /** Rejects with the last error after this time. Default: no limit. */
  timeoutMs?: number;
  /** The clock. Default: the system's. */
  timers?: Pick<Timers, 'now'>;
}

/**
 * Retries `attempt` with backoff until the database or broker it needs is available, and logs what it waits for: as a warning after 30 s,
 * and where an operator has to act. An error that is not transient is thrown at once. @throws the signal's reason when it is aborted.
 */
export async function retryUntilAvailable<Result>(
  what: string,
  attempt: () => Promise<Result>,
  { signal, logger, onWait, timeoutMs = Infinity, timers = systemTimers }: UntilAvailableOptions,
): Promise<Result> {
  const startedAt = timers.now();
  const deadline = startedAt + timeoutMs;
  let logged = { reason: '', at: -Infinity, isUsual: true };
  for (let pauseMs = PAUSE_MS_FIRST; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    try {
      const result = await orAborted(attempt, signal);
      if (logged.reason) logger.log(`${what} is available`, 'Start');
      return result;
    } catch (error) {
      if (signal.aborted || !hasTransientCause(error) || timers.now() + pauseMs > deadline) throw error;
      const reason = redactText(reasonOf(error));
      onWait?.(`waiting for ${what}: ${reason}`);
      const now = timers.now();
      const isUsual = now - startedAt < USUAL_WAIT_MS && !(error instanceof UnfitTopic);
      if (reason !== logged.reason || isUsual !== logged.isUsual || now - logged.at > LOG_AGAIN_MS) {
        logger[isUsual ? 'log' : 'warn'](`Waiting for ${what}: ${reason}`, 'Start');
        logged = { reason, at: now, isUsual };
      }
    }
    await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Whether an error, or one of its causes, is transient. */
function hasTransientCause(error: unknown) {
  // Network errors are Node's own; inside jest their `Error` is not the global one.
  for (let cause = error, depth = 0; types.isNativeError(cause) && depth < CAUSES_MAX; cause = cause.cause, depth++) {
    if (isTransientError(cause)) return true;
  }
  return false;
}

async function orAborted<Result>(attempt: () => Promise<Result>, signal: AbortSignal) {
  signal.throwIfAborted();
  let rejectAborted!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    rejectAborted = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', rejectAborted, { once: true });
  try {
    return await Promise.race([attempt(), aborted]);
  } finally {
    signal.removeEventListener('abort', rejectAborted);
  }
}
