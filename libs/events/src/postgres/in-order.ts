import { withLimit } from '@tidings/contracts/core/with-limit';

/** Runs actions in the order in which they were added, each once its promise has resolved. After one that rejects none follows. */
export class InOrder {
  private last: Promise<void> | undefined;
  private readonly open = new Set<Promise<void>>();

  /** @param until undefined: the action waits only for those before. */
  add(until: Promise<void> | undefined, action: () => void): void {
    if (!until && !this.last) return action();
    if (until) this.track(until);
    const added = Promise.all([this.last, until]).then(action);
    this.track(added);
    this.last = added;
    added.then(
      () => {
        if (this.last === added) this.last = undefined;
      },
      () => {}, // it stays the last one
    );
  }

  /** Resolves with true when every promise has settled and no action will run any more; with false as soon as the signal is aborted. */
  async drained(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      void withLimit(
        { signal },
        () => resolve(false),
        () => Promise.allSettled(this.open).then(() => resolve(true)),
      );
    });
  }

  private track(until: Promise<void>) {
    const forget = () => void this.open.delete(until);
    this.open.add(until);
    until.then(forget, forget);
  }
}
