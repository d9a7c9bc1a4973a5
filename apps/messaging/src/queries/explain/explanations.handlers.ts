import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { explanations } from '@tidings/contracts/messaging/explanations';
import type { GetMessage } from '@tidings/contracts/messaging/messages';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { MESSAGE_COLUMNS } from '../../record/message-row';
import { ROUTES_IN_PROGRESS } from '../../record/routes-in-progress';
import { HISTORY, type HistoryRow } from '../messages.handlers';
import { ReadYourWrites } from '../read-your-writes';
import { requestExplainer } from '../request-sentence';
import { isUserToken } from '../user-view';
import { explain, type ExplainedRow } from './explain';

// SQL because one statement reads a message with its deliveries and its open state, which have no entities.
const EXPLAINED = statement(
  'messaging.explained',
  `select ${MESSAGE_COLUMNS}, archived, tenant_id, ${ROUTES_IN_PROGRESS} as in_progress,
          (select round(extract(epoch from due_at) * 1000)::float8 from open_messages
            where open_messages.message_id = messages.id and open_messages.workspace_id = messages.workspace_id) as open_due_at
     from messages where workspace_id = $1 and id = $2`,
);

@Handles(explanations)
export class ExplanationsHandlers {
  constructor(
    private readonly database: Database,
    private readonly fresh: ReadYourWrites,
  ) {}

  async retrieve(context: CallContext, { message_id: id }: GetMessage) {
    if (isUserToken(context)) throw new ServiceError('forbidden', 'An explanation names rules of the workspace: it needs an API key');
    const { workspaceId } = context;
    const find = async (uuid: string) => {
      const [row] = await this.database.query<ExplainedRow>(EXPLAINED, [workspaceId, uuid]);
      return row && { uuid, row };
    };
    const { uuid, row } = await this.fresh.load(context, id, find, { explain: requestExplainer(this.database, context) });
    const steps = await this.database.query<HistoryRow | { number: null }>(HISTORY, [workspaceId, uuid]);
    return explain(
      row,
      steps.filter((step) => step.number !== null),
    );
  }
}
