import { unavailable } from '@tidings/contracts/core/errors';

interface Stoppable {
  stop(): Promise<void>;
}

/** The subscriptions of a log, each from its start to its own end or the log's. */
export class Subscriptions {
  private readonly open = new Set<Stoppable>();
  private ended = false;

  /** Starts one that ends with the log at the latest. @throws ServiceError `unavailable` when the log is closed meanwhile. */
  async begin<S extends Stoppable>(start: () => Promise<S>): Promise<S> {
    if (this.ended) throw logClosed();
    const subscription = await start();
    if (this.ended) {
      await subscription.stop();
      throw logClosed();
    }
    this.open.add(subscription);
    const stop = subscription.stop.bind(subscription);
    subscription.stop = async () => {
      await stop();
      this.open.delete(subscription);
    };
    return subscription;
  }

  /** Begins no more, and resolves when all have stopped. */
  async end(): Promise<void> {
    this.ended = true;
    await Promise.all([...this.open].map((subscription) => subscription.stop()));
  }
}

/** What whoever comes too late is told. */
export const logClosed = () => unavailable('The event log is closed');
