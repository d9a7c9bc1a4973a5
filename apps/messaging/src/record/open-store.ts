import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import { ClaimQueue } from '@tidings/jobs/claim-queue';
import { claimStatements } from '@tidings/jobs/due-statements';
import type { Database } from '@tidings/persistence/database';
import type { OpenState, Stage } from './step-store';

/** An open message that this process has just claimed. */
export interface ClaimedRow {
  workspace_id: string;
  lane: number;
  message_id: string;
  stage: Stage;
  generation: number;
  state: Omit<OpenState, 'stage' | 'lane' | 'dueMs'>;
  status: MessageStatus;
  /** Its steps so far, in their order. */
  steps: HistoryEvent[][];
}

/** Messages that wait for a thread, and all others: each kind has its own index of due rows. */
const STATEMENTS = { apart: statementsOf('apart', `stage = 'long'`), together: statementsOf('together', `stage <> 'long'`) };

// SQL because a claim skips locked rows, and returns each message with its history in one statement.
function statementsOf(kind: string, condition: string) {
  return claimStatements(`messaging.open_${kind}`, {
    table: 'open_messages',
    key: 'message_id',
    columns: ['stage', 'state'],
    condition: `rows.${condition}`,
    select: `select claimed.*, messages.status, past.steps
   from claimed
   join messages on messages.workspace_id = claimed.workspace_id and messages.id = claimed.message_id
   cross join lateral (select json_agg(events order by number) as steps from history where history.message_id = claimed.message_id) past
   order by claimed.workspace_id, claimed.lane`,
  });
}

/** Claims due open messages of one kind. */
export class OpenMessages extends ClaimQueue<ClaimedRow> {
  constructor(database: Database, kind: keyof typeof STATEMENTS, leaseMs?: number) {
    super(database, STATEMENTS[kind], leaseMs);
  }
}
