import type { CallContext } from '@tidings/contracts/core/context';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { type Queryable, statement } from '@tidings/persistence/database';
import { idsOfSecond } from '../record/weeks';

/** Messages of a request that are counted. */
const COUNTED_MAX = 1_000;

// SQL because one statement counts messages along an index, up to a bound. Runs of bulk jobs are no requests.
const FIND = statement(
  'messaging.find_request',
  `select exists(select from expansions where workspace_id = $1 and request_id = $2 and request ->> 'jobId' is null) as "isExpanding",
          (select count(*)::integer from (
             select from messages where workspace_id = $1 and request_id = $2 and id between $3 and $4 and job_id is null
              limit ${COUNTED_MAX + 1}) counted) as messages`,
);

/**
 * What the id of no message names instead, for `ReadYourWrites.load`. Undefined unless the caller is an API key: a user whose message names
 * its request must not learn how many others it had.
 */
export function requestExplainer(database: Queryable, { scopes, workspaceId }: CallContext) {
  return scopes.includes('*') ? (uuid: string) => requestSentence(database, workspaceId, uuid) : undefined;
}

/** For an id without a message: that it is a request, and where its messages are; undefined where it is none. */
async function requestSentence(database: Queryable, workspaceId: string, uuid: string): Promise<string | undefined> {
  const [found] = await database.query<{ isExpanding: boolean; messages: number }>(FIND, [workspaceId, uuid, ...idsOfSecond(uuid)]);
  const { isExpanding, messages } = found!;
  if (!isExpanding && messages === 0) return undefined;
  const id = uuidToMessageId(uuid);
  return `${id} is a request to ${isExpanding ? 'several recipients' : recipients(messages)}: GET /messages?traceId=${id} lists its messages`;
}

function recipients(count: number) {
  if (count > COUNTED_MAX) return `more than ${COUNTED_MAX} recipients`;
  return count === 1 ? '1 recipient' : `${count} recipients`;
}
