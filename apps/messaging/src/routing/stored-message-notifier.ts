import { Injectable } from '@nestjs/common';

/** Look-ups that may wait at once for a message that was just accepted. */
const WAITING_LOOKUPS_MAX = 256;

/** Tells those who look for a message that was just accepted when it has arrived in the store. */
@Injectable()
export class StoredMessageNotifier {
  private readonly waiting = new Map<string, Set<() => void>>();
  private count = 0;

  /** Whether one more may wait. */
  get hasRoom(): boolean {
    return this.count < WAITING_LOOKUPS_MAX;
  }

  /** Resolves when the message (uuid) arrives in this process, or after `waitMs`. */
  wait(uuid: string, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.waiting.get(uuid) ?? new Set();
      this.waiting.set(uuid, waiters);
      this.count += 1;
      const end = (): void => {
        clearTimeout(timer);
        waiters.delete(end);
        if (waiters.size === 0) this.waiting.delete(uuid);
        this.count -= 1;
        resolve();
      };
      const timer = setTimeout(end, waitMs);
      waiters.add(end);
    });
  }

  /** These messages are stored now. */
  announce(uuids: Iterable<string>): void {
    if (this.waiting.size === 0) return;
    for (const uuid of uuids) {
      for (const end of [...(this.waiting.get(uuid) ?? [])]) end();
    }
  }
}
