import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { RenderPool } from '@tidings/rendering/pool/render-pool';

/** The threads on which this service renders previews and reads what is put to it; ended with the process. */
@Injectable()
export class RenderingThreads implements OnApplicationShutdown {
  constructor(readonly pool: RenderPool) {}

  /** After the calls at work have been answered. */
  onApplicationShutdown(): Promise<void> {
    return this.pool.close();
  }
}
