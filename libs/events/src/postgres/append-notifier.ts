import { EventEmitter } from 'node:events';
import { withLimit } from '@tidings/contracts/core/with-limit';

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
    const { host, pathname } = new URL(databaseUrl);
    const address = host + pathname;
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
  private awaited = 0;
  private wake?: () => void;

  readonly note = (position?: number): void => {
    if (position === undefined) this.isStale = true;
    else this.position = Math.max(this.position, position);
    if (this.isReached) this.wake?.();
  };

  /**
   * Resolves when a position above `position` is announced, when announcements may be missing, when `ended` is aborted, or after
   * `msMax`. The caller reads then.
   */
  async waitBeyond(position: number, msMax: number, ended: AbortSignal): Promise<void> {
    this.awaited = position;
    if (!this.isReached && !ended.aborted) {
      await withLimit(
        { timeoutMs: msMax, signal: ended },
        () => this.wake?.(),
        () => new Promise<void>((resolve) => (this.wake = resolve)),
      );
    }
    this.isStale = false;
  }

  private get isReached() {
    return this.isStale || this.position > this.awaited;
  }
}
