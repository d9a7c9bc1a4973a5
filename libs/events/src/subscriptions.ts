import { unavailable } from '@tidings/contracts/core/errors';

interface Stoppable {
  stop(): Promise<void>;
}

/** The open subscriptions of a log. */
export class Subscriptions {
  private readonly open = new Set<Stoppable>();
  private ended = false;

  /** Starts a subscription that ends with the log at the latest. @throws ServiceError `unavailable` when the log is closed. */
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

  /** Starts no more subscriptions, and resolves when all have stopped. */
  async end(): Promise<void> {
    this.ended = true;
    await Promise.all([...this.open].map((subscription) => subscription.stop()));
  }
}

/** Error of calls after the log was closed. */
export const logClosed = () => unavailable('The event log is closed');
