import { Injectable } from '@nestjs/common';
import { Database, statement } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { HistoryPublisher } from '../publishing/history-publisher';
import { Sweeper } from '../requests/sweeper';
import { cancelNextMessages, RESUMED_AFTER_MS } from './request-cancellations';

const INTERVAL_MS = 30_000;
/** Requests of one round. */
const REQUESTS_MAX = 1_000;

/** Claiming postpones a request, so one that always fails does not block the others. */
const CLAIM = statement(
  'messaging.claim_request_cancellation',
  `update request_cancellations set due_at = now() + $1 * interval '1 millisecond'
    where (workspace_id, request_id) in (
      select workspace_id, request_id from request_cancellations where not finished and due_at <= now()
       order by due_at limit 1 for update skip locked)
   returning workspace_id, request_id, begun_by as started_by`,
);
const HAND_OVER = statement(
  'messaging.hand_over_request_cancellation',
  'update request_cancellations set due_at = now() where workspace_id = $1 and request_id = $2 and not finished',
);

interface ClaimedRow {
  workspace_id: string;
  request_id: string;
  started_by: string;
}

/** Continues canceling requests whose call ended before all messages were canceled, or whose process ended. */
@Injectable()
export class RequestCancellationSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly history: HistoryPublisher,
    private readonly clock: Clock,
  ) {
    super({ what: 'Canceling messages of canceled requests', intervalMs: INTERVAL_MS, stepsMax: REQUESTS_MAX });
  }

  /** Leaves the rest of a request's messages to the sweeper, which starts at once. */
  async handOver(workspaceId: string, uuid: string): Promise<void> {
    await this.database.execute(HAND_OVER, [workspaceId, uuid]);
    this.wake();
  }

  protected async step(): Promise<boolean> {
    const [claimed] = await this.database.query<ClaimedRow>(CLAIM, [RESUMED_AFTER_MS]);
    if (!claimed) return false;
    const { workspace_id: workspaceId, request_id: uuid, started_by: startedBy } = claimed;
    for (let isFinished = false; !isFinished && !this.stopping;) {
      const { cancellation } = await cancelNextMessages(this.database, { workspaceId, uuid, startedBy, nowMs: this.clock.now() });
      this.history.committed();
      isFinished = cancellation.finished;
    }
    return true;
  }
}
