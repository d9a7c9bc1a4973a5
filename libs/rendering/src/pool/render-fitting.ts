import { BudgetSpent, RenderBudget } from '../render-budget';
import { type JobName, type Jobs, jobs } from './jobs';
import type { RenderPool } from './render-pool';

/**
 * Steps of a rendering that may be taken on the calling thread, about a millisecond. A medium e-mail takes a few hundred; a
 * hop to another thread and back costs more than rendering it.
 */
export const INLINE_STEPS_MAX = 10_000;
/**
 * What may be read on the calling thread, as `readingCost` counts, some ten milliseconds at worst: reading a text costs much more
 * than rendering it, but once only.
 */
export const INLINE_READING_MAX = 20_000;

/**
 * Does a job where it fits: here, as long as it is small, else on a thread of the pool. What turns out to be larger than
 * `INLINE_STEPS_MAX` is given up here and begun anew there. `cost` is the `readingCost` of all texts
 * that are to be read for it.
 */
export async function renderFitting<Name extends JobName>(
  pool: RenderPool,
  workspaceId: string,
  job: Name,
  input: Parameters<Jobs[Name]>[0],
  cost: number,
): Promise<ReturnType<Jobs[Name]>> {
  if (cost > INLINE_READING_MAX) return pool.run(workspaceId, job, input);
  try {
    const here = jobs[job] as (input: Parameters<Jobs[Name]>[0], budget: RenderBudget) => ReturnType<Jobs[Name]>;
    return here(input, new RenderBudget(INLINE_STEPS_MAX));
  } catch (error) {
    if (error instanceof BudgetSpent) return pool.run(workspaceId, job, input);
    throw error;
  }
}
