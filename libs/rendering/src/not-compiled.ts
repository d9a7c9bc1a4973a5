import type { FrameInput } from './email/frame';
import { ServiceError } from '@tidings/contracts/core/errors';
import { BudgetSpent, RenderBudget } from './render-budget';

/** A slow compilation as a pool job; `cacheFrame` or `cacheMjml` caches its result. */
export type CompileJob = { readonly job: 'frame'; readonly input: FrameInput } | { readonly job: 'mjml'; readonly input: string };

/** A compilation must run on the pool first, since it is too slow for a shared thread. */
export class NotCompiled extends BudgetSpent {
  constructor(readonly job: CompileJob) {
    super(0);
  }
}

/** Cost bound for compiling a text that another thread has prepared: some hundredths of a second, once. */
const PREPARED_COMPILE_MAX = 60_000;

/** Compiles such a text unless it is too slow. Ignores `ServiceError`: the rendering that uses the text reports it. */
export function tryToCompile(compile: (budget: RenderBudget) => void): void {
  try {
    compile(new RenderBudget(undefined, PREPARED_COMPILE_MAX));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}
