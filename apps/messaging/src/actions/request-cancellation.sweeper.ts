import { Inject, Injectable } from '@nestjs/common';
import { Database, statement } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { HistoryPublisher } from '../publishing/history-publisher';
import { Sweeper } from '../requests/sweeper';
import { cancelNextMessages, TAKEN_UP_AFTER_MS } from './request-cancellations';

const INTERVAL_MS = 30_000;
/** Requests of one round. */
const REQUESTS_MAX = 1_000;

/** One that fails each time keeps none of the others waiting. */
const CLAIM = statement(
  'messaging.claim_request_cancellation',
  `update request_cancellations set due_at = now() + $1 * interval '1 millisecond'
    where (workspace_id, request_id) in (
      select workspace_id, request_id from request_cancellations where not finished and due_at <= now()
       order by due_at limit 1 for update skip locked)
   returning workspace_id, request_id, begun_by`,
);
const HAND_OVER = statement(
  'messaging.hand_over_request_cancellation',
  'update request_cancellations set due_at = now() where workspace_id = $1 and request_id = $2 and not finished',
);

interface ClaimedRow {
  workspace_id: string;
  request_id: string;
  begun_by: string;
}

/** Goes on with canceling requests where a caller did not wait for the end, or its process ended. */
@Injectable()
export class RequestCancellationSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly history: HistoryPublisher,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    const what = 'Messages of canceled requests are canceled later';
    super({ name: 'RequestCancellationSweeper', what, intervalMs: INTERVAL_MS, stepsMax: REQUESTS_MAX });
  }

  /** Has the rest of a request canceled. */
  async handOver(workspaceId: string, uuid: string): Promise<void> {
    await this.database.execute(HAND_OVER, [workspaceId, uuid]);
    this.wake();
  }

  protected async step(): Promise<boolean> {
    const [claimed] = await this.database.query<ClaimedRow>(CLAIM, [TAKEN_UP_AFTER_MS]);
    if (!claimed) return false;
    const { workspace_id: workspaceId, request_id: uuid, begun_by: begunBy } = claimed;
    for (let isFinished = false; !isFinished && !this.stopping;) {
      const { cancellation } = await cancelNextMessages(this.database, { workspaceId, uuid, begunBy, nowMs: this.clock.now() });
      this.history.committed();
      isFinished = cancellation.finished;
    }
    return true;
  }
}
