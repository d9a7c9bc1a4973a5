import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import { type Database, statement } from '@tidings/persistence/database';
import { ClaimQueue, dueStatements, renewing } from './fair-due';
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

const claiming = (due: string) => `with ${due}, claimed as (
     update open_messages set turn = open_messages.turn + 1, due_at = clock_timestamp() + $2 * interval '1 millisecond'
     from due where open_messages.message_id = due.message_id
     returning open_messages.workspace_id, open_messages.lane, open_messages.message_id, open_messages.stage, open_messages.turn as generation, open_messages.state
   )
   select claimed.*, messages.status, past.steps
   from claimed
   join messages on messages.workspace_id = claimed.workspace_id and messages.id = claimed.message_id
   cross join lateral (select json_agg(events order by number) as steps from history where history.message_id = claimed.message_id) past
   order by claimed.workspace_id, claimed.lane`;

/** Messages that wait for a thread, and all others: each kind has its own index of due rows. */
const STATEMENTS = { apart: statementsOf('apart', `stage = 'long'`), together: statementsOf('together', `stage <> 'long'`) };

function statementsOf(kind: string, condition: string) {
  const columns = 'rows.message_id';
  return dueStatements(`open_${kind}`, { table: 'open_messages', columns, condition: () => `rows.${condition}` }, claiming);
}

const RENEW = statement('messaging.renew_open_messages', renewing('open_messages', 'message_id'));

/** Claims due open messages of one kind. */
export class OpenMessages extends ClaimQueue<ClaimedRow> {
  constructor(database: Database, kind: keyof typeof STATEMENTS, leaseMs?: number) {
    super(database, STATEMENTS[kind], RENEW, leaseMs);
  }
}
