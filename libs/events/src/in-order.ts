import { withLimit } from '@tidings/contracts/core/with-limit';

/** Runs actions in the order in which they were added, each once its promise has resolved. After one that rejects none follows. */
export class InOrder {
  private last: Promise<void> | undefined;

  /** @param until undefined: the action waits only for those before. */
  add(until: Promise<void> | undefined, action: () => void): void {
    if (!until && !this.last) return action();
    const added = Promise.all([this.last, until]).then(action);
    this.last = added;
    added.then(
      () => {
        if (this.last === added) this.last = undefined;
      },
      () => {}, // it stays the last one
    );
  }

  /** Resolves with whether every action ran; when the signal is aborted, at once. */
  async drained(signal: AbortSignal): Promise<boolean> {
    const { last } = this;
    if (!last) return true;
    return new Promise((resolve) => {
      void withLimit(
        { signal },
        () => resolve(false),
        () =>
          last.then(
            () => resolve(true),
            () => resolve(false),
          ),
      );
    });
  }
}
