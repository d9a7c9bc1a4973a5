import { Injectable } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { RenderPool } from '@tidings/rendering/pool/render-pool';

/** Previews of one workspace that may wait for a thread. */
export const PREVIEWS_WAITING_MAX = 4;
const RETRY_AFTER_SECONDS = 2;

/** How many previews of a workspace are rendered and wait at once in this process: what is asked and given up must not fill the queue. */
@Injectable()
export class PreviewLimiter {
  private readonly underWay = new Map<string, number>();

  constructor(private readonly pool: RenderPool) {}

  /** @throws ServiceError `rate_limited` when as many of the workspace wait as may. */
  async run<Result>(workspaceId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.underWay.get(workspaceId) ?? 0;
    if (before >= this.pool.threadsPerWorkspace + PREVIEWS_WAITING_MAX) {
      throw new ServiceError(
        'rate_limited',
        `Previews of this workspace are waiting, at most ${PREVIEWS_WAITING_MAX} may; try again in a moment`,
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
    }
    this.underWay.set(workspaceId, before + 1);
    try {
      return await work();
    } finally {
      const after = this.underWay.get(workspaceId)! - 1;
      if (after > 0) this.underWay.set(workspaceId, after);
      else this.underWay.delete(workspaceId);
    }
  }
}
