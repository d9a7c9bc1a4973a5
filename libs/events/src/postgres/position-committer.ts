import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import type { Session } from './session';

/** At most one statement in this time. */
const COMMIT_INTERVAL_MS = 100;

const COMMIT = statement('events-group-commit', 'UPDATE events.groups SET position = $2 WHERE id = $1');

const logger = new Logger('EventLog');

/**
 * Commits a group's position to the database within 100 ms; uncommitted records are delivered again after a crash. Writes over
 * the connection that has the group lock, so a member that lost the lock cannot write.
 */
export class PositionCommitter {
  private written: number;
  private timer?: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  /** @param handled every record up to this position is handled. */
  constructor(
    private readonly session: Session,
    private readonly groupId: number,
    public handled: number,
  ) {
    this.written = handled;
  }

  advance(position: number): void {
    this.handled = position;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.write();
    }, COMMIT_INTERVAL_MS);
  }

  /** Commits the latest position. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.write();
    await this.writing;
  }

  private write(): void {
    const { handled, written } = this;
    if (handled === written || !this.session.alive) return;
    this.written = handled;
    this.writing = this.session.query(COMMIT, [this.groupId, handled]).then(
      () => {},
      (error: unknown) => {
        // The next write repeats it. A lost connection loses the group lock too, and the records are delivered again.
        this.written = written;
        if (this.session.alive) logger.warn(`Committing the position of group ${this.groupId} failed: ${reasonOf(error)}`);
      },
    );
  }
}
