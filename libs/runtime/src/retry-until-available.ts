import { setTimeout as delay } from 'node:timers/promises';
import { types } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { isTransient } from '@tidings/events/transient';
import { reasonOf } from '@tidings/persistence/errors';
import { redactText } from './redact';

/** The first pause between two attempts, and the longest, in ms. */
const PAUSE_MS_FIRST = 250;
const PAUSE_MS_MAX = 5_000;

/** The same reason is said again this often, in ms. */
const SAY_AGAIN_MS = 30_000;

/** Deeper than any chain of causes of ours. */
const CAUSES_MAX = 10;

interface UntilAvailableOptions {
  /** Ends the waiting at once; an attempt under way is left to itself. */
  signal: AbortSignal;
  logger: LoggerService;
  /** Told before each pause what is waited for, and why. */
  onWait?: (state: string) => void;
  /** Give up after this time, with the last error. Default: never. */
  timeoutMs?: number;
}

/**
 * Attempts something that needs a database or a broker until they are there, with growing pauses, and says in the log what
 * it waits for. An error that waiting does not cure is thrown at once.
 * @throws the signal's reason when it is aborted.
 */
export async function retryUntilAvailable<Result>(
  what: string,
  attempt: () => Promise<Result>,
  { signal, logger, onWait, timeoutMs = Infinity }: UntilAvailableOptions,
): Promise<Result> {
  const giveUpAt = performance.now() + timeoutMs;
  let said = { reason: '', at: -Infinity };
  for (let pauseMs = PAUSE_MS_FIRST; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    try {
      const result = await abandonable(attempt, signal);
      if (said.reason) logger.log(`${what} is there`, 'Start');
      return result;
    } catch (error) {
      if (signal.aborted || !hasTransientCause(error) || performance.now() + pauseMs > giveUpAt) throw error;
      const reason = redactText(reasonOf(error));
      onWait?.(`waiting for ${what}: ${reason}`);
      if (reason !== said.reason || performance.now() - said.at > SAY_AGAIN_MS) {
        logger.warn(`Waiting for ${what}: ${reason}`, 'Start');
        said = { reason, at: performance.now() };
      }
    }
    await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Whether an error, or what caused it, passes by itself. */
function hasTransientCause(error: unknown): boolean {
  // Errors of the network are Node's own, whose `Error` is another one than ours inside of jest.
  for (let cause = error, depth = 0; types.isNativeError(cause) && depth < CAUSES_MAX; cause = cause.cause, depth++) {
    if (isTransient(cause)) return true;
  }
  return false;
}

async function abandonable<Result>(attempt: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  let giveUp!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([attempt(), aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
