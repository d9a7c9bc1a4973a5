import { Injectable } from '@nestjs/common';
import { Database, statement } from '@tidings/persistence/database';
import { archiveSome } from './archive-store';
import { Sweeper } from './sweeper';

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
export class ArchiveSweeper extends Sweeper {
  constructor(private readonly database: Database) {
    super({ name: 'ArchiveSweeper', what: 'Messages of archived requests are hidden later', intervalMs: INTERVAL_MS, stepsMax: STEPS_MAX });
  }

  protected step(): Promise<boolean> {
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
