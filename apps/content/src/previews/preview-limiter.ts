import { Injectable } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { RenderPool } from '@tidings/rendering/pool/render-pool';

/** Previews of one workspace that may wait for a thread. */
export const PREVIEWS_WAITING_MAX = 4;

/** Limits the running and waiting previews of a workspace in this process: abandoned requests must not fill the queue. */
@Injectable()
export class PreviewLimiter {
  private readonly inFlight = new Map<string, number>();

  constructor(private readonly pool: RenderPool) {}

  /** Runs `work`. @throws ServiceError `rate_limited` when `PREVIEWS_WAITING_MAX` of the workspace are waiting. */
  async run<Result>(workspaceId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.inFlight.get(workspaceId) ?? 0;
    if (before >= this.pool.threadsPerWorkspace + PREVIEWS_WAITING_MAX) {
      throw new ServiceError(
        'rate_limited',
        `${PREVIEWS_WAITING_MAX} previews of this workspace are waiting, the most allowed; try again in a moment`,
        {
          retryAfterSeconds: 2,
        },
      );
    }
    this.inFlight.set(workspaceId, before + 1);
    try {
      return await work();
    } finally {
      const after = this.inFlight.get(workspaceId)! - 1;
      if (after > 0) this.inFlight.set(workspaceId, after);
      else this.inFlight.delete(workspaceId);
    }
  }
}
