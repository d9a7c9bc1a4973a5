import { createHash } from 'node:crypto';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { frameOf, isUnreadFrame, knownCostlyFrame } from '@tidings/rendering/email/frame';
import { frameInputOf, jobs, type PortableRenderInput } from '@tidings/rendering/pool/jobs';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import { BudgetSpent, inlineBudget } from '@tidings/rendering/render-budget';
import { NotCompiled } from '@tidings/rendering/not-compiled';
import { CompileJobs } from './compile-jobs';
import type { Rendering, ToRender } from './start-leaves';
import { RenderBreaker } from './render-breaker';

/**
 * Renders messages: small ones here and now, the others on threads of their own. A rendering has a bounded number of steps, and
 * on a thread a bounded time; what exceeds them cannot be rendered. Content that did so again and again is not tried for a while.
 */
export class Renderer {
  private readonly strikes = new RenderBreaker();
  private readonly readings: CompileJobs;

  constructor(private readonly pool: RenderPool) {
    this.readings = new CompileJobs(pool);
  }

  /** Loads what the first e-mail would otherwise wait for: packages of a third of a second. */
  warmUp(): void {
    frameOf({ brand: null, direction: 'ltr' });
  }

  /**
   * Renders what takes about a millisecond at most, some ten where something small is read for the first time; `'too large'`
   * for anything else. What takes longer to read is read on another thread meanwhile, for those that come later.
   */
  here({ workspaceId, input }: ToRender): Rendering | 'too large' {
    try {
      return jobs.render(input, inlineBudget());
    } catch (error) {
      if (error instanceof NotCompiled) void this.readings.read(workspaceId, error.reading).catch(ignored);
      if (error instanceof BudgetSpent) return 'too large';
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  /** Renders on another thread, in turn with other workspaces. Rejects with `unavailable` when it must be tried again later. */
  async elsewhere({ workspaceId, contentKey, input }: ToRender): Promise<Rendering> {
    const name = contentKey ?? contentHash(workspaceId, input.content);
    const struckOut = this.strikes.out(name, performance.now());
    if (struckOut) return struckOut;
    try {
      const rendered = await this.pool.run(workspaceId, 'render', await this.withFrame(workspaceId, input));
      this.strikes.clear(name);
      return rendered;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'unavailable' || error.code === 'rate_limited') throw unavailable(error.message, error);
      if (isTooSlow(error)) this.strikes.add(name, error, performance.now());
      return error;
    }
  }

  /** With the brand's frame, where it takes long to make: it is made once, whichever thread renders. */
  private async withFrame(workspaceId: string, input: PortableRenderInput): Promise<PortableRenderInput> {
    const needed = frameInputOf(input);
    if (isUnreadFrame(needed) && !hasRaw(input)) await this.readings.read(workspaceId, { job: 'frame', input: needed });
    const frame = knownCostlyFrame(needed);
    return frame ? { ...input, frame } : input;
  }

  /** Stops what runs; what was not rendered comes again to whoever reads the log next. */
  close(): Promise<void> {
    return this.pool.close();
  }
}

/** Whoever renders with it is told. */
function ignored(): void {}

/** Whether the content may be given to the channel as it stands: no frame is needed then, nor may a bad one matter. */
function hasRaw({ content }: PortableRenderInput): boolean {
  return content.elements?.some((element) => element.type === 'channel' && element.raw) === true;
}

const isTooSlow = ({ message }: ServiceError): boolean => /^render_(timeout|memory)/.test(message);

function contentHash(workspaceId: string, content: object): string {
  return createHash('sha256')
    .update(`${workspaceId}:${JSON.stringify(content)}`)
    .digest('base64');
}
