import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { frameOf, isFrameNotCompiled, cachedSlowFrame } from '@tidings/rendering/email/frame';
import { frameInputOf, jobs, type PortableRenderInput } from '@tidings/rendering/pool/jobs';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import { BudgetSpent, inlineBudget } from '@tidings/rendering/render-budget';
import { NotCompiled } from '@tidings/rendering/not-compiled';
import { CompileJobs } from './compile-jobs';
import type { Rendering, ToRender } from './start-leaves';
import { RenderBreaker } from './render-breaker';

/**
 * Renders messages: small ones on this thread, the others on threads of a pool. A rendering has a bounded number of steps, and on a
 * pool thread a bounded time; a message that exceeds them cannot be rendered. A breaker fails repeatedly slow content fast.
 */
@Injectable()
export class Renderer {
  private readonly breaker = new RenderBreaker();
  private readonly compileJobs: CompileJobs;

  constructor(private readonly pool: RenderPool) {
    this.compileJobs = new CompileJobs(pool);
  }

  /** Loads packages that the first e-mail would otherwise wait for, about a third of a second. */
  warmUp(): void {
    frameOf({ brand: null, direction: 'ltr' });
  }

  /**
   * Renders on this thread what takes at most about 1 ms, or about 10 ms where something small is compiled for the first time;
   * `'too large'` otherwise. Slower compilations are started on the pool, for later messages.
   */
  here({ workspaceId, input }: ToRender): Rendering | 'too large' {
    try {
      return jobs.render(input, inlineBudget());
    } catch (error) {
      if (error instanceof NotCompiled) void this.compileJobs.run(workspaceId, error.job).catch(ignored);
      if (error instanceof BudgetSpent) return 'too large';
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  /** Renders on a pool thread, round-robin with other workspaces. Rejects with `unavailable` where it must be retried later. */
  async renderOnPool({ workspaceId, contentKey, input }: ToRender): Promise<Rendering> {
    const name = contentKey ?? contentHash(workspaceId, input.content);
    const openError = this.breaker.openError(name, performance.now());
    if (openError) return openError;
    try {
      const rendered = await this.pool.run(workspaceId, 'render', await this.withFrame(workspaceId, input));
      this.breaker.reset(name);
      return rendered;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'unavailable' || error.code === 'rate_limited') throw unavailable(error.message, error);
      if (isTooSlow(error)) this.breaker.recordSlow(name, error, performance.now());
      return error;
    }
  }

  /** Adds the brand's frame where it is slow to compile: it is compiled once for all threads. */
  private async withFrame(workspaceId: string, input: PortableRenderInput): Promise<PortableRenderInput> {
    const frameInput = frameInputOf(input);
    if (isFrameNotCompiled(frameInput) && !hasRaw(input)) await this.compileJobs.run(workspaceId, { job: 'frame', input: frameInput });
    const frame = cachedSlowFrame(frameInput);
    return frame ? { ...input, frame } : input;
  }

  /** Stops running renderings; messages that were not rendered are claimed or read from the log again. */
  close(): Promise<void> {
    return this.pool.close();
  }
}

/** A message that is rendered with the failed job gets its error. */
function ignored(): void {}

/** Whether the content has raw parts for a channel: these need no frame, so a broken one must not fail them. */
function hasRaw({ content }: PortableRenderInput): boolean {
  return content.elements?.some((element) => element.type === 'channel' && element.raw) === true;
}

const isTooSlow = ({ message }: ServiceError): boolean => /^render_(timeout|memory)/.test(message);

function contentHash(workspaceId: string, content: object): string {
  return createHash('sha256')
    .update(`${workspaceId}:${JSON.stringify(content)}`)
    .digest('base64');
}
