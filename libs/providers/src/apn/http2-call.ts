import type { HttpAnswer } from '../vendor/http-call';
import type { ClientRequest, LimitedCall } from '../vendor/http-client';
import { errorOf, type Http2Connection, NotProcessed } from './http2-connection';

/** How often a request that the server did not process is made again, each time on a connection that takes requests. */
const REPEATS_MAX = 5;

/**
 * A request until its answer, on as many connections as it takes. One step at a time can be ended: an `AbortSignal` with its listeners
 * costs more than all else of a call.
 */
export class Http2Call implements LimitedCall {
  isConnected = false;
  ended?: string;
  /** Ends the present step. */
  private stop?: () => void;

  /** @param connectionTo throws `AddressRefused` for a host that may not be called. */
  constructor(
    readonly request: ClientRequest,
    private readonly connectionTo: (url: URL) => Http2Connection,
  ) {}

  async answer(): Promise<HttpAnswer> {
    for (let repeats = 0; ; repeats += 1) {
      const connection = this.connectionTo(this.request.url);
      if (!connection.isReady) await this.untilEnded(connection.ready);
      this.isConnected = true;
      try {
        return await connection.answer(this);
      } catch (error) {
        // Later requests need not wait for the next ping to find out that the connection is dead.
        if (this.ended === 'timeout') connection.check();
        if (!(error instanceof NotProcessed) || repeats === REPEATS_MAX) throw error;
      }
    }
  }

  end(why: string): void {
    this.ended ??= why;
    this.stop?.();
  }

  /** Sets what ends the present step; it is called at once when the call has ended. */
  onEnd(stop: (() => void) | undefined): void {
    this.stop = stop;
    if (this.ended !== undefined) stop?.();
  }

  private untilEnded(ready: Promise<void>) {
    return new Promise<void>((resolve, reject) => {
      this.onEnd(() => reject(errorOf('ABORT_ERR')));
      ready.then(resolve, reject);
    });
  }
}
