import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isTransientServiceError, ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { cachedSlowFrame, frameOf, isFrameNotCompiled } from '@tidings/rendering/email/frame';
import { frameInputOf, jobs, type PortableRenderInput } from '@tidings/rendering/pool/jobs';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import { BudgetSpent, inlineBudget } from '@tidings/rendering/render-budget';
import { type CompileJob, NotCompiled } from '@tidings/rendering/not-compiled';
import { compileJobName, compileOnPool } from '@tidings/rendering/pool/compile-on-pool';
import { LRUCache } from 'lru-cache';
import type { Rendering, ToRender } from './start-leaves';

/** Slow renderings in a row after which content fails fast. */
const SLOW_MAX = 3;
/** How long a slow rendering counts, in ms. */
const SLOW_MS = 60_000;
const NAMES_MAX = 10_000;

/** How long a failed compilation is not retried, in ms. */
const FAILED_MS = 60_000;
const FAILED_MAX = 10_000;

/**
 * Renders messages: small ones on this thread, the others on threads of a pool. A rendering has a bounded number of steps, and on a
 * pool thread a bounded time; a message that exceeds them cannot be rendered. Content that is too slow three times in a row fails fast for a minute.
 */
@Injectable()
export class Renderer {
  /** Content that was too slow when it was last rendered, and how often in a row. */
  private readonly slow = new LRUCache<string, { count: number; error: ServiceError }>({ max: NAMES_MAX, ttl: SLOW_MS });
  /** Running compilations by name; concurrent callers of one share it. */
  private readonly compiling = new Map<string, Promise<void>>();
  private readonly notCompilable = new LRUCache<string, ServiceError>({ max: FAILED_MAX, ttl: FAILED_MS });

  constructor(private readonly pool: RenderPool) {}

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
      if (error instanceof NotCompiled) void this.compile(workspaceId, error.job).catch(() => undefined); // a message that is rendered with the failed job gets its error
      if (error instanceof BudgetSpent) return 'too large';
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  /**
   * Renders on a pool thread, round-robin with other workspaces. Rejects with `unavailable` where it must be retried later.
   * @param dryRun no send waits for it: it runs after the workspace's others, until `endBy`, and its time does not count against its content
   */
  async renderOnPool({ workspaceId, input }: ToRender, dryRun?: { endBy?: number }): Promise<Rendering> {
    const name = input.contentKey ?? contentHash(workspaceId, input.content);
    const { count = 0, error: slowError } = this.slow.get(name) ?? {};
    if (slowError && count >= SLOW_MAX) return slowError;
    try {
      const options = dryRun && { ...dryRun, yields: true };
      const rendered = await this.pool.run(workspaceId, 'render', await this.withFrame(workspaceId, input), options);
      if (!dryRun) this.slow.delete(name);
      return rendered;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (isTransientServiceError(error)) throw unavailable(error.message, error);
      if (!dryRun && /^render_(timeout|memory)/.test(error.message))
        this.slow.set(name, { count: (this.slow.get(name)?.count ?? 0) + 1, error });
      return error;
    }
  }

  /** Adds the brand's frame where it is slow to compile: it is compiled once for all threads. */
  private async withFrame(workspaceId: string, input: PortableRenderInput) {
    const frameInput = frameInputOf(input);
    if (isFrameNotCompiled(frameInput) && !hasRaw(input)) await this.compile(workspaceId, { job: 'frame', input: frameInput });
    const frame = cachedSlowFrame(frameInput);
    return frame ? { ...input, frame } : input;
  }

  /**
   * Compiles a slow frame or MJML on the pool. Resolves when the result is cached here. Rejects as `RenderPool.run`; after a permanent
   * error with the same one for a minute.
   */
  private async compile(workspaceId: string, job: CompileJob) {
    const name = compileJobName(job);
    const failed = this.notCompilable.get(name);
    if (failed) throw failed;
    const running = this.compiling.get(name);
    if (running) return running;
    const started = compileOnPool(this.pool, workspaceId, job)
      .catch((error: unknown) => {
        if (error instanceof ServiceError && !isTransientServiceError(error)) this.notCompilable.set(name, error);
        throw error;
      })
      .finally(() => this.compiling.delete(name));
    this.compiling.set(name, started);
    return started;
  }

  /** Stops running renderings; messages that were not rendered are claimed or read from the log again. */
  close(): Promise<void> {
    return this.pool.close();
  }
}

/** Whether the content has raw parts for a channel: these need no frame, so a broken one must not fail them. */
function hasRaw({ content }: PortableRenderInput) {
  return content.elements?.some((element) => element.type === 'channel' && element.raw) === true;
}

function contentHash(workspaceId: string, content: object) {
  return createHash('sha256')
    .update(`${workspaceId}:${JSON.stringify(content)}`)
    .digest('base64');
}
