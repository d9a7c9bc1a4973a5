import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, statement } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { archiveSome } from './archive-store';

const logger = new Logger('ArchiveSweeper');

/** Looks by itself so often, for what a process that ended has left; whoever archives wakes it. */
const INTERVAL_MS = 30_000;
/** Steps of one round; what is left waits for the next. */
const STEPS_MAX = 2_000;
/** Messages of a request that is still expanded come later than its archiving: it is looked through again, ever more seldom, so long. */
const WATCHED_MS = 2 * 86_400_000;
const LOOK_AGAIN_MS_MIN = 5_000;

const NEXT = statement(
  'messaging.next_archived_request',
  `select workspace_id, request_id, extract(epoch from now() - archived_at)::float8 * 1000 as age_ms from archived_requests
    where due_at <= now() order by due_at limit 1 for update skip locked`,
);
const LATER = statement(
  'messaging.archived_request_later',
  `update archived_requests set due_at = now() + $3 * interval '1 millisecond' where workspace_id = $1 and request_id = $2`,
);
const FORGET = statement('messaging.forget_archived_request', `delete from archived_requests where workspace_id = $1 and request_id = $2`);

interface ArchivedRow {
  workspace_id: string;
  request_id: string;
  age_ms: number;
}

/** Hides the messages of archived requests, in short transactions, whether a request has one message or a million. Any number of instances. */
@Injectable()
export class ArchiveSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;
  private wanted = false;
  private stopping = false;

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.wake(), INTERVAL_MS).unref();
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.round;
  }

  /** There may be something to do. */
  wake(): void {
    this.wanted = true;
    this.round ??= this.work().finally(() => {
      this.round = undefined;
      if (this.wanted && !this.stopping) this.wake();
    });
  }

  /** A round: until nothing is due. */
  async sweep(): Promise<void> {
    for (let steps = 0; steps < STEPS_MAX && !this.stopping && (await this.step());) steps += 1;
  }

  private async work(): Promise<void> {
    while (this.wanted && !this.stopping) {
      this.wanted = false;
      try {
        await this.sweep();
      } catch (error) {
        logger.warn(`Messages of archived requests are hidden later: ${reasonOf(error)}`);
      }
    }
  }

  /** Whether something was due. */
  private step(): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [next] = await tx.query<ArchivedRow>(NEXT);
      if (!next) return false;
      const { workspace_id, request_id, age_ms } = next;
      const archived = await archiveSome(tx, workspace_id, request_id);
      if (archived === 0 && age_ms > WATCHED_MS) await tx.execute(FORGET, [workspace_id, request_id]);
      else if (archived === 0) await tx.execute(LATER, [workspace_id, request_id, Math.max(LOOK_AGAIN_MS_MIN, age_ms)]);
      return true;
    });
  }
}
