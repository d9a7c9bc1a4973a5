import { type AppendNotifier, HighWatermark } from './append-notifier';
import { type RecordPage, readRecords } from './records';
import type { Session } from './session';
import type { SharedConnection } from './shared-connection';

/** Reads a topic as it grows, on a connection of the caller's. */
export class TopicReader {
  constructor(
    readonly topicId: number,
    readonly connection: SharedConnection,
    private readonly notifier: AppendNotifier,
    /** Longest pause between two reads without an announcement, in ms. */
    private readonly pollIntervalMs: number,
  ) {}

  /**
   * The records beyond `position()`, page by page, until the session is lost or `ended` aborts. After the last record it waits until
   * more is announced. @throws as `Session.query` does.
   */
  async *follow(session: Session, position: () => number, limit: number, ended: AbortSignal): AsyncGenerator<RecordPage> {
    // Of this session: after a crash the server may reuse positions it had announced.
    const highWatermark = new HighWatermark();
    const over = AbortSignal.any([session.lost, ended]);
    const unlisten = this.notifier.listen(this.topicId, highWatermark.note);
    try {
      while (!over.aborted) {
        // A position announced before the read is in its result, or was removed from the log.
        const announced = highWatermark.position;
        const page = await readRecords(session, this.topicId, position(), limit);
        yield page;
        if (page.complete) await highWatermark.waitBeyond(Math.max(announced, position()), this.pollIntervalMs, over);
      }
    } finally {
      unlisten();
    }
  }
}
