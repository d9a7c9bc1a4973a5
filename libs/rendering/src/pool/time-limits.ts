import type { ElapsedTime } from './job-clock';

/** Time limits of a job, in ms. */
export interface TimeLimits {
  /** Core time of its thread for rendering. */
  readonly renderingMs: number;
  /** Core time for cached compilations. */
  readonly readingMs: number;
  /**
   * Wall time of either, longer than a busy machine needs. The only limit when the platform does not measure core time.
   */
  readonly overdueMs: number;
}

/** A check of the clock costs some microseconds. */
const CHECK_INTERVAL_MS_MIN = 2;

/**
 * Verdict on a running job: `rendering` or `reading` exceeded its core time, `overdue` its wall time; a number is the delay in ms
 * until the next check.
 */
export function judge(
  { cpu, wall }: ElapsedTime,
  { renderingMs, readingMs, overdueMs }: TimeLimits,
): 'rendering' | 'reading' | 'overdue' | number {
  const wallLeft = overdueMs - Math.max(wall.rendering, wall.reading);
  const renderingLeft = renderingMs - (cpu?.rendering ?? 0);
  const readingLeft = readingMs - (cpu?.reading ?? 0);
  if (renderingLeft <= 0) return 'rendering';
  if (readingLeft <= 0) return 'reading';
  if (wallLeft <= 0) return 'overdue';
  return Math.max(CHECK_INTERVAL_MS_MIN, Math.min(wallLeft, renderingLeft, readingLeft));
}
