import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import type { InspectedRecord } from '@tidings/events/inspection';
import { type Queryable, statement } from '@tidings/persistence/database';
import type { Problem } from './problems';

// SQL because one statement looks up a page of requests in the tables of three stages.
/** A request to many has an expansion, then its messages, or a record of its own. */
const STORED = statement(
  'messaging.check_requests',
  `select input.id from unnest($1::uuid[], $2::uuid[]) as input(workspace_id, id)
    where exists (select from messages where messages.workspace_id = input.workspace_id and messages.id = input.id)
       or exists (select from expansions where expansions.request_id = input.id)
       or exists (select from messages where messages.workspace_id = input.workspace_id and messages.request_id = input.id)`,
);

interface Request {
  readonly workspaceId: string;
  readonly uuid: string;
  readonly at: number;
  readonly isHandled: boolean;
}

/** What a page of the log says of requests that are stored nowhere. */
export interface RequestsPage {
  /** Those that are handled all the same. */
  readonly lost: readonly Problem[];
  /** How many wait to be read, by workspace. */
  readonly waiting: ReadonlyMap<string, number>;
}

/** Looks up accepted requests. The records were read from the log before, so what was handled then must be stored now. */
export async function checkRequests(database: Queryable, records: readonly InspectedRecord[]): Promise<RequestsPage> {
  const requests = new Map(records.flatMap((record) => requestsOf(record)).map((one) => [one.uuid, one]));
  const all = [...requests.values()];
  const rows = await database.query<{ id: string }>(STORED, [all.map((one) => one.workspaceId), all.map((one) => one.uuid)]);
  for (const { id } of rows) requests.delete(id);
  const waiting = new Map<string, number>();
  const lost: Problem[] = [];
  for (const { workspaceId, uuid, at, isHandled } of requests.values()) {
    if (isHandled) lost.push({ problem: 'lost-request', workspaceId, uuid, at });
    else waiting.set(workspaceId, (waiting.get(workspaceId) ?? 0) + 1);
  }
  return { lost, waiting };
}

/** A record that cannot be read is a dead letter, and no request. */
function requestsOf({ payload, appendedAt, isHandled }: InspectedRecord): Request[] {
  if (payload === null) return [];
  try {
    const { id, workspaceId } = JSON.parse(payload) as { id?: unknown; workspaceId?: unknown };
    const uuid = typeof id === 'string' ? messageIdToUuid(id) : undefined;
    return uuid && typeof workspaceId === 'string' ? [{ workspaceId, uuid, at: appendedAt, isHandled }] : [];
  } catch {
    return [];
  }
}
