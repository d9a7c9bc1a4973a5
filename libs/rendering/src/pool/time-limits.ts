import type { ElapsedTime } from './job-clock';

/** What a job may take, in ms. */
export interface TimeLimits {
  /** Of its thread's time on a core. */
  readonly renderingMs: number;
  /** The same, for reading what is kept for others too. */
  readonly readingMs: number;
  /**
   * For either, of time that goes by: longer than a busy machine needs. Where the platform says no more than this, it alone
   * is the limit.
   */
  readonly overdueMs: number;
}

/** A look at the clock costs some microseconds. */
const CHECK_INTERVAL_MS_MIN = 2;

/**
 * What is to become of a running job: `rendering` and `reading` have had more of a core than they may; `overdue` has taken long,
 * for whatever reason; a number: look again after so many ms.
 */
export function judge(
  { cpu, wall }: ElapsedTime,
  { renderingMs, readingMs, overdueMs }: TimeLimits,
): 'rendering' | 'reading' | 'overdue' | number {
  const wallLeft = overdueMs - Math.max(wall.rendering, wall.reading);
  const left = { rendering: renderingMs - (cpu?.rendering ?? 0), reading: readingMs - (cpu?.reading ?? 0) };
  if (left.rendering <= 0) return 'rendering';
  if (left.reading <= 0) return 'reading';
  if (wallLeft <= 0) return 'overdue';
  return Math.max(CHECK_INTERVAL_MS_MIN, Math.min(wallLeft, left.rendering, left.reading));
}
