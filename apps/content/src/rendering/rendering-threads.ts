import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { RenderPool } from '@tidings/rendering/pool/render-pool';

/** Ends the threads that render previews and check content with the process. */
@Injectable()
export class RenderingThreads implements OnApplicationShutdown {
  constructor(readonly pool: RenderPool) {}

  /** Runs after all calls have been answered. */
  onApplicationShutdown(): Promise<void> {
    return this.pool.close();
  }
}
