import { createHash } from 'node:crypto';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { jobs } from '@tidings/rendering/pool/jobs';
import { INLINE_READING_MAX, INLINE_STEPS_MAX } from '@tidings/rendering/pool/render-fitting';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import { BudgetSpent, RenderBudget } from '@tidings/rendering/render-budget';
import type { Rendered } from '@tidings/rendering/render';
import type { Planned } from './plan-message';
import { Strikes } from './strikes';

/** What rendering came to: undefined where the content has nothing for the channel, an error where it cannot be rendered. */
export type Rendering = Rendered | ServiceError | undefined;

/**
 * Renders messages: small ones here and now, the others on threads of their own. A rendering has a bounded number of steps, and
 * on a thread a bounded time; what exceeds them cannot be rendered. Content that did so again and again is not tried for a while.
 */
export class Renderer {
  private readonly strikes = new Strikes();

  constructor(private readonly pool: RenderPool) {}

  /** Renders what takes about a millisecond at most; `'too large'` for anything else. */
  here({ input, readingCost }: Planned): Rendering | 'too large' {
    if (readingCost > INLINE_READING_MAX) return 'too large';
    try {
      return jobs.render(input, new RenderBudget(INLINE_STEPS_MAX));
    } catch (error) {
      if (error instanceof BudgetSpent) return 'too large';
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  /** Renders on another thread, in turn with other workspaces. Rejects with `unavailable` when it must be tried again later. */
  async elsewhere(planned: Planned): Promise<Rendering> {
    const { request, input } = planned;
    const name = planned.contentKey ?? contentHash(request.workspaceId, input.content);
    const struckOut = this.strikes.out(name, performance.now());
    if (struckOut) return struckOut;
    try {
      const rendered = await this.pool.run(request.workspaceId, 'render', input);
      this.strikes.clear(name);
      return rendered;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'unavailable' || error.code === 'rate_limited') throw unavailable(error.message, error);
      if (isTooSlow(error)) this.strikes.add(name, error, performance.now());
      return error;
    }
  }

  /** Stops what runs; what was not rendered comes again to whoever reads the log next. */
  close(): Promise<void> {
    return this.pool.close();
  }
}

const isTooSlow = ({ message }: ServiceError): boolean => /^render_(timeout|memory)/.test(message);

function contentHash(workspaceId: string, content: object): string {
  return createHash('sha256')
    .update(`${workspaceId}:${JSON.stringify(content)}`)
    .digest('base64');
}
