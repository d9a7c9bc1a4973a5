import { ServiceError } from '@tidings/contracts/core/errors';
import { nameOfReading, compileOnPool } from '@tidings/rendering/pool/compile-on-pool';
import type { RenderPool } from '@tidings/rendering/pool/render-pool';
import type { CompileJob } from '@tidings/rendering/not-compiled';
import { LRUCache } from 'lru-cache';

/** How long what cannot be read is not tried again, in ms. */
const FAILED_MS = 60_000;
const FAILED_MAX = 10_000;

/** Has threads of the pool read what takes long, each thing once for all who wait for it. */
export class CompileJobs {
  private readonly open = new Map<string, Promise<void>>();
  private readonly failed = new LRUCache<string, ServiceError>({ max: FAILED_MAX, ttl: FAILED_MS });

  constructor(private readonly pool: RenderPool) {}

  /** Resolves when it is known here. Rejects as `RenderPool.run`; with what is wrong with it for a minute without trying. */
  async read(workspaceId: string, reading: CompileJob): Promise<void> {
    const name = nameOfReading(reading);
    const failed = this.failed.get(name);
    if (failed) throw failed;
    const open = this.open.get(name) ?? this.begin(name, workspaceId, reading);
    await open;
  }

  private begin(name: string, workspaceId: string, reading: CompileJob): Promise<void> {
    const begun = compileOnPool(this.pool, workspaceId, reading)
      .catch((error: unknown) => {
        if (isItsFault(error)) this.failed.set(name, error);
        throw error;
      })
      .finally(() => this.open.delete(name));
    this.open.set(name, begun);
    return begun;
  }
}

function isItsFault(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code !== 'unavailable' && error.code !== 'rate_limited';
}
