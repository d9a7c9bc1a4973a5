import { Injectable } from '@nestjs/common';
import { messageIdTime } from '@tidings/contracts/messaging/message-id';

/** Calls that are remembered at least, and at most twice as many. */
const REMEMBERED_MIN = 15_000;
/** Ids contain the second of their creation. */
const ID_SECOND_MS = 1_000;

/** The messages whose providers this process calls before it stores them (ADR 24). */
@Injectable()
export class UnstoredMessages {
  private readonly open = new Map<string, Promise<void>>();
  /** Ids of those that were called, the later half and the earlier one. */
  private recent = new Set<string>();
  private earlier = new Set<string>();
  /** The latest second in each half. */
  private recentMs = 0;
  private earlierMs = 0;
  /** Every id of this time on that was called is remembered. */
  private completeFromMs = 0;

  /**
   * Whether a message may be called before it is stored: no process has called it, as its id is newer than `aloneSinceMs` and this process
   * remembers all that it called since. Then it counts as called.
   */
  mayCall(id: string, aloneSinceMs: number): boolean {
    const ms = messageIdTime(id);
    if (ms < Math.max(aloneSinceMs, this.completeFromMs) || this.recent.has(id) || this.earlier.has(id)) return false;
    this.recent.add(id);
    this.recentMs = Math.max(this.recentMs, ms);
    if (this.recent.size >= REMEMBERED_MIN) {
      this.completeFromMs = this.earlierMs + ID_SECOND_MS;
      [this.earlier, this.earlierMs] = [this.recent, this.recentMs];
      [this.recent, this.recentMs] = [new Set(), 0];
    }
    return true;
  }

  /** @param stored resolves when the message is stored. */
  add(id: string, stored: Promise<void>): void {
    const forget = () => void this.open.delete(id);
    this.open.set(id, stored);
    stored.then(forget, forget);
  }

  /** Resolves when those of `ids` that were called are stored, or refused by the database; without `ids` when all are. */
  async stored(ids: Iterable<string> = this.open.keys()): Promise<void> {
    await Promise.allSettled([...ids].flatMap((id) => this.open.get(id) ?? []));
  }
}
