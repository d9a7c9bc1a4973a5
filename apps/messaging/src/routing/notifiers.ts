import { Injectable } from '@nestjs/common';

/** Notifies the runner of open messages in this process that some are due. */
@Injectable()
export class OpenMessagesNotifier {
  private listener: ((delayMs: number) => void) | undefined;

  listen(listener: (delayMs: number) => void): void {
    this.listener = listener;
  }

  /** Notifies that an open message is due in `delayMs` ms. */
  notifyDueIn(delayMs: number): void {
    this.listener?.(delayMs);
  }
}

/** Maximum number of reads that wait for messages just accepted. */
const WAITING_READS_MAX = 256;

/** Notifies reads of messages just accepted when the message is stored. */
@Injectable()
export class StoredMessageNotifier {
  private readonly waiting = new Map<string, Set<() => void>>();
  private count = 0;

  /** Whether one more read may wait. */
  get canWait(): boolean {
    return this.count < WAITING_READS_MAX;
  }

  /** Resolves when this process stores the message (uuid), or after `waitMs`. */
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

  /** Resolves the waits for these messages (uuids), which are now stored. */
  notifyStored(uuids: Iterable<string>): void {
    if (this.waiting.size === 0) return;
    for (const uuid of uuids) {
      for (const end of [...(this.waiting.get(uuid) ?? [])]) end();
    }
  }
}
