/** Commits a member's progress: shortly after the work, and at once on request. One commit at a time. */
export class ProgressCommitter {
  private timer?: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    /** At most one commit in this time; uncommitted records are delivered again after a crash. */
    private readonly intervalMs: number,
    /** Commits what is not committed yet. */
    private readonly commit: () => Promise<void>,
    /** What failed is committed with the next commit. */
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Commits within the interval. */
  schedule(): void {
    this.timer ??= setTimeout(() => void this.flush(), this.intervalMs);
  }

  /** Commits what is not committed yet; never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(this.commit).catch(this.onError);
    return this.writing;
  }
}
