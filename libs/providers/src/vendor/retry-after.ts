import { RETRY_AFTER_MS_MAX } from '../provider';

/** The delay of a `Retry-After` header (seconds or a date) in ms from `nowMs`; undefined when absent or malformed. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return pauseMs(ms);
}

/** A pause in ms that a receiver asks for, bounded; undefined where it is no number. */
export function pauseMs(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX);
}
