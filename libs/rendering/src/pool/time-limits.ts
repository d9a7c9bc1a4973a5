import type { ElapsedTime } from './job-clock';

/** Time limits of a job, in ms. */
export interface TimeLimits {
  /** Core time of its thread for rendering. */
  readonly renderingMs: number;
  /** Core time for cached compilations. */
  readonly compilingMs: number;
  /**
   * Wall time of either, longer than a busy machine needs. The only limit when the platform does not measure core time.
   */
  readonly overdueMs: number;
}

/** A check of the clock costs some microseconds. */
const CHECK_INTERVAL_MS_MIN = 2;

/**
 * Verdict on a running job: `rendering` or `compiling` exceeded its core time, `overdue` its wall time; a number is the delay in ms
 * until the next check.
 */
export function judge(
  { cpu, wall }: ElapsedTime,
  { renderingMs, compilingMs, overdueMs }: TimeLimits,
): 'rendering' | 'compiling' | 'overdue' | number {
  const wallLeft = overdueMs - Math.max(wall.rendering, wall.compiling);
  const renderingLeft = renderingMs - (cpu?.rendering ?? 0);
  const compilingLeft = compilingMs - (cpu?.compiling ?? 0);
  if (renderingLeft <= 0) return 'rendering';
  if (compilingLeft <= 0) return 'compiling';
  if (wallLeft <= 0) return 'overdue';
  return Math.max(CHECK_INTERVAL_MS_MIN, Math.min(wallLeft, renderingLeft, compilingLeft));
}
