type Listener = (position: number) => void;

/**
 * Tells everything in this process that reads one database how far topics have grown. The instance that appended says it as
 * soon as the commit is answered; what other processes append comes from the server's notifications a little later.
 */
export class AppendNotifier {
  private static readonly shared = new Map<string, AppendNotifier>();
  private readonly listeners = new Map<number, Set<Listener>>();
  private users = 0;

  private constructor(private readonly place: string) {}

  /** The one of a database; pair with `leave`. */
  static join(databaseUrl: string): AppendNotifier {
    const { hostname, port, pathname } = new URL(databaseUrl);
    const place = `${hostname}:${port}${pathname}`;
    let announcements = AppendNotifier.shared.get(place);
    if (!announcements) AppendNotifier.shared.set(place, (announcements = new AppendNotifier(place)));
    announcements.users += 1;
    return announcements;
  }

  leave(): void {
    this.users -= 1;
    if (this.users === 0) AppendNotifier.shared.delete(this.place);
  }

  /** Records of the topic up to `position` are committed; there may be none between. */
  announce(topicId: number, position: number): void {
    for (const listener of this.listeners.get(topicId) ?? []) listener(position);
  }

  /** Returns how to stop listening. */
  listen(topicId: number, listener: Listener): () => void {
    let listeners = this.listeners.get(topicId);
    if (!listeners) this.listeners.set(topicId, (listeners = new Set()));
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(topicId) === listeners) this.listeners.delete(topicId);
    };
  }
}

/** How far a topic is known to have grown, and a way to wait for more. */
export class HighWatermark {
  private known = 0;
  private wake?: () => void;

  readonly note = (position: number): void => {
    if (position <= this.known) return;
    this.known = position;
    this.wake?.();
  };

  get position(): number {
    return this.known;
  }

  /** What was announced counts no more: a server that crashed may begin again below positions it had told of. */
  forget(): void {
    this.known = 0;
  }

  /** Resolves when there is something beyond `position`, when one of the signals aborts, or after `msMax`. */
  async beyond(position: number, msMax: number, ...signals: AbortSignal[]): Promise<void> {
    if (this.known > position || signals.some(({ aborted }) => aborted)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.wake = undefined;
        clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, msMax);
      this.wake = () => this.known > position && done();
      for (const signal of signals) signal.addEventListener('abort', done, { once: true });
    });
  }
}
