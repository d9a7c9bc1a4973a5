import type { FrameInput } from './email/frame';
import { ServiceError } from '@tidings/contracts/core/errors';
import { BudgetSpent, RenderBudget } from './render-budget';

/** Something that takes long to read, as the job of a pool that reads it: what comes of it can be kept (`cacheFrame`, `cacheMjml`). */
export type CompileJob =
  { readonly job: 'frame'; readonly input: FrameInput } | { readonly job: 'mjml'; readonly input: { readonly source: string } };

/** Something must be read first that takes too long where others wait. */
export class NotCompiled extends BudgetSpent {
  constructor(readonly reading: CompileJob) {
    super(0);
  }
}

/** What reading a text may cost that another thread has prepared, once: some hundredths of a second. */
const PREPARED_READING_MAX = 60_000;

/** Reads such a text, unless that takes too long. Whoever writes it is told what is wrong with it. */
export function tryToCompile(read: (budget: RenderBudget) => void): void {
  try {
    read(new RenderBudget(undefined, PREPARED_READING_MAX));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}
