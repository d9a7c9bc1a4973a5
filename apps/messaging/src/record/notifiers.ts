import { EventEmitter, once } from 'node:events';
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
  private readonly stored = new EventEmitter().setMaxListeners(0);
  private waiting = 0;

  /** Whether one more read may wait. */
  get canWait(): boolean {
    return this.waiting < WAITING_READS_MAX;
  }

  /** Resolves when this process stores the message (uuid), or after `waitMs`. */
  async wait(uuid: string, waitMs: number): Promise<void> {
    this.waiting += 1;
    await once(this.stored, uuid, { signal: AbortSignal.timeout(waitMs) }).catch(() => undefined);
    this.waiting -= 1;
  }

  /** Resolves the waits for these messages (uuids), which are now stored. */
  notifyStored(uuids: Iterable<string>): void {
    if (this.waiting > 0) for (const uuid of uuids) this.stored.emit(uuid);
  }
}
