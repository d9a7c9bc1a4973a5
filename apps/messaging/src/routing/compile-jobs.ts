import { ServiceError } from '@tidings/contracts/core/errors';
import { nameOfReading, compileOnPool } from '@tidings/rendering/pool/compile-on-pool';
import type { RenderPool } from '@tidings/rendering/pool/render-pool';
import type { CompileJob } from '@tidings/rendering/not-compiled';
import { LRUCache } from 'lru-cache';

/** How long a failed compilation is not retried, in ms. */
const FAILED_MS = 60_000;
const FAILED_MAX = 10_000;

/** Compiles slow frames and MJML on threads of the pool; concurrent callers of one job share it. */
export class CompileJobs {
  private readonly running = new Map<string, Promise<void>>();
  private readonly failed = new LRUCache<string, ServiceError>({ max: FAILED_MAX, ttl: FAILED_MS });

  constructor(private readonly pool: RenderPool) {}

  /** Resolves when the result is cached here. Rejects as `RenderPool.run`; after a permanent error with the same one for a minute. */
  async run(workspaceId: string, job: CompileJob): Promise<void> {
    const name = nameOfReading(job);
    const failed = this.failed.get(name);
    if (failed) throw failed;
    await (this.running.get(name) ?? this.start(name, workspaceId, job));
  }

  private start(name: string, workspaceId: string, job: CompileJob): Promise<void> {
    const started = compileOnPool(this.pool, workspaceId, job)
      .catch((error: unknown) => {
        if (isPermanent(error)) this.failed.set(name, error);
        throw error;
      })
      .finally(() => this.running.delete(name));
    this.running.set(name, started);
    return started;
  }
}

function isPermanent(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code !== 'unavailable' && error.code !== 'rate_limited';
}
