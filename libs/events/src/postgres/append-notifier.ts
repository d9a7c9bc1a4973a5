import { EventEmitter } from 'node:events';

/** Without a position: some may have been missed. */
type Listener = (position?: number) => void;

/**
 * Announces appended positions to all readers of one database in this process. A writer in this process announces as soon as
 * its commit is answered; positions of other processes come from the server's notifications a little later.
 */
export class AppendNotifier {
  private static readonly shared = new Map<string, AppendNotifier>();
  private readonly topics = new EventEmitter().setMaxListeners(0);

  /** The notifier of a database; a process uses a few of them, and keeps them. */
  static of(databaseUrl: string): AppendNotifier {
    const { hostname, port, pathname } = new URL(databaseUrl);
    const address = `${hostname}:${port}${pathname}`;
    let notifier = AppendNotifier.shared.get(address);
    if (!notifier) AppendNotifier.shared.set(address, (notifier = new AppendNotifier()));
    return notifier;
  }

  /** Announces that records of the topic up to `position` are committed; without a position, that announcements may be missing. */
  announce(topicId: number, position?: number): void {
    this.topics.emit(String(topicId), position);
  }

  /** Calls `listener` for every announced position; returns the function that removes it. */
  listen(topicId: number, listener: Listener): () => void {
    this.topics.on(String(topicId), listener);
    return () => void this.topics.off(String(topicId), listener);
  }
}

/** The highest announced position of a topic. */
export class HighWatermark {
  position = 0;
  /** Announcements may be missing that no read after them has made up for. */
  private isStale = false;
  private wake?: () => void;

  readonly note = (position?: number): void => {
    if (position === undefined) this.isStale = true;
    else this.position = Math.max(this.position, position);
    this.wake?.();
  };

  /**
   * Resolves when a position above `position` is announced, when announcements may be missing, when `ended` is aborted, or after
   * `msMax`. The caller reads then.
   */
  async waitBeyond(position: number, msMax: number, ended: AbortSignal): Promise<void> {
    const isReached = () => this.isStale || ended.aborted || this.position > position;
    if (!isReached()) {
      await new Promise<void>((resolve) => {
        const done = () => {
          this.wake = undefined;
          clearTimeout(timer);
          ended.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, msMax);
        ended.addEventListener('abort', done);
        this.wake = () => isReached() && done();
      });
    }
    this.isStale = false;
  }
}
