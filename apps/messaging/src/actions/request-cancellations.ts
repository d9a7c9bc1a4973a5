import { Injectable } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import { Sweeper } from '@tidings/jobs/sweeper';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { targetName } from '../expand/derive';
import { HistoryPublisher } from '../publish/history-publisher';
import { baseOf } from '../deliver/make-step';
import { type Cancelable, cancelMessage, cancelMessages, retryOnConflict } from '../record/cancel-store';
import { deleteInSteps } from '../record/sql';
import { type MessageStep, storeSteps } from '../record/step-store';
import { firstIdAt, idsOfSecond } from '../record/weeks';

/** Fields of a request to several recipients, from its expansion or from one of its messages. */
type RequestFacts = Pick<
  MessageRequested,
  'workspaceId' | 'id' | 'recipient' | 'requestedAt' | 'mode' | 'event' | 'tags' | 'traceId' | 'idempotencyKey' | 'warnings'
>;

// SQL because cancellations are claimed with skip locked, and pages of messages are read along an index.
/** The first event of a message names the target of its request, until the history is removed. */
const FACTS = statement(
  'messaging.request_facts',
  `select status, enqueued_at::float8 as "requestedAt", event, coalesce(tags, '[]') as tags, trace_id as "traceId",
          coalesce(history.events -> 0 -> 'send' ->> 'requestTarget', 'list:' || list_id) as recipient,
          history.events -> 0 -> 'warnings' as warnings
     from messages left join history
       on history.workspace_id = messages.workspace_id and history.message_id = messages.id and history.number = 1
    where messages.workspace_id = $1 and messages.id = $2`,
);

type FactsRow = Pick<RequestFacts, 'requestedAt' | 'event' | 'tags'> & {
  status: MessageStatus;
  traceId: string | null;
  recipient: string | null;
  warnings: string[] | null;
};

/** Fields of the request and the status of its message `messageUuid`, read from that; undefined where it does not exist. */
export async function factsFrom(
  tx: Queryable,
  { workspaceId, uuid, messageUuid }: { workspaceId: string; uuid: string; messageUuid: string },
): Promise<(RequestFacts & Pick<FactsRow, 'status'>) | undefined> {
  const [row] = await tx.query<FactsRow>(FACTS, [workspaceId, messageUuid]);
  const id = uuidToMessageId(uuid);
  if (!row) return undefined;
  const { recipient, traceId, warnings } = row;
  const given = { recipient: recipient ?? id, traceId: traceId ?? undefined, warnings: warnings ?? undefined };
  return { ...row, workspaceId, id, mode: 'production', ...given };
}

/** The first step of the request's own record, under its id. The content is stored with its messages. */
function recordStep(facts: RequestFacts): MessageStep {
  const { workspaceId, id, recipient, requestedAt, mode, event, tags, warnings } = facts;
  const { traceId: trace_id, idempotencyKey: idempotency_key } = facts;
  // Empty targets mark it as a request, not a message.
  const sent = { workspaceId, id, recipient, requestedAt, mode, event, tags, warnings };
  const request: MessageRequested = { ...sent, profile: {}, data: {}, targets: [] };
  return { ...baseOf({ request }, requestedAt), trace_id, idempotency_key, status: 'ENQUEUED', deliveries: [], open: null };
}

/** Messages of one step, which is one transaction. */
export const STEP_MESSAGES = 500;
/** Attempts of a step at most while steps of its messages are stored at the same time. */
const ATTEMPTS_MAX = 5;
/** Time after the start or a claim at which the sweeper resumes a cancellation whose process ended. */
const RESUMED_AFTER_MS = 30_000;

/** Progress of canceling a request. */
export interface RequestCancellation {
  /** The call that started it. */
  started_by: string;
  /** The last message (uuid) that was processed. */
  after_id: string;
  canceled: number;
  too_late: number;
  /** Whether anything was canceled: then the request has a record of its own. */
  has_effect: boolean;
  finished: boolean;
}

/** A request to cancel, and the call that cancels it. */
interface CancelableRequest extends Cancelable {
  startedBy: string;
}

const COLUMNS = 'begun_by as started_by, after_id, canceled, too_late, has_effect, finished';

const START = statement(
  'messaging.start_request_cancellation',
  `insert into request_cancellations (workspace_id, request_id, begun_by, due_at)
   values ($1, $2, $3, now() + $4 * interval '1 millisecond') on conflict do nothing`,
);
const LOCK = statement(
  'messaging.lock_request_cancellation',
  `select ${COLUMNS} from request_cancellations where workspace_id = $1 and request_id = $2 for update`,
);
/** Except runs of bulk jobs, which are no requests of clients: their users wait for the end of the run. */
const DELETE_EXPANSION = statement(
  'messaging.delete_expansion_of',
  `delete from expansions where workspace_id = $1 and request_id = $2 and request ->> 'jobId' is null returning request`,
);

/** Archiving a message does not change its id, so paging by id returns each message once. */
const messagesOf = (archived: boolean) =>
  `(select id, status from messages
     where workspace_id = $1 and request_id = $2 and archived = ${archived} and id > $3 and id between $4 and $5 order by id limit $6)`;
const PAGE = statement(
  'messaging.messages_of_request',
  `select id, status from (${messagesOf(false)} union all ${messagesOf(true)}) as page order by id limit $6`,
);
const CANCELED_AMONG = statement(
  'messaging.canceled_among',
  `select count(*)::integer as canceled from messages
    where workspace_id = $1 and id = any($2::uuid[]) and id between $3 and $4 and status = 'CANCELED'`,
);
const ADVANCE = statement(
  'messaging.advance_request_cancellation',
  `update request_cancellations set after_id = coalesce($3, after_id), canceled = canceled + $4, too_late = too_late + $5,
          has_effect = has_effect or $6, finished = $7
    where workspace_id = $1 and request_id = $2 returning ${COLUMNS}`,
);
/** Rows that one statement deletes. */
const DELETE_STEP = 1_000;
const DELETE = statement(
  'messaging.delete_request_cancellations',
  `delete from request_cancellations where ctid = any(array(
     select ctid from request_cancellations where request_id < $1 limit ${DELETE_STEP} for update skip locked))`,
);

const WAITING: readonly MessageStatus[] = ['ENQUEUED', 'DELAYED', 'ROUTED'];

/**
 * One step of canceling a request, in one transaction: ends its expansion, cancels the next of its messages unless it is too late, and
 * counts both. The progress is stored, so any process can continue. Resolves with it, and with whether this step canceled anything.
 * @throws ServiceError `unavailable` where steps of a message are stored again and again.
 */
export async function cancelNextMessages(database: Database, request: CancelableRequest) {
  for (const messagesMax of [STEP_MESSAGES, 1]) {
    const step = await retryOnConflict(ATTEMPTS_MAX, () => database.transaction((tx) => cancelStep(tx, request, messagesMax)));
    if (step !== 'conflict') return step;
  }
  throw unavailable(`Messages of request ${uuidToMessageId(request.uuid)} are being sent now; retry`);
}

async function cancelStep(tx: Queryable, request: CancelableRequest, messagesMax: number) {
  const { workspaceId, uuid, startedBy, nowMs } = request;
  await tx.execute(START, [workspaceId, uuid, startedBy, RESUMED_AFTER_MS]);
  const before = (await tx.query<RequestCancellation>(LOCK, [workspaceId, uuid]))[0]!;
  if (before.finished) return { cancellation: before, hasCanceled: false };

  const [expansion] = await tx.query<{ request: MessageRequested }>(DELETE_EXPANSION, [workspaceId, uuid]);
  const page = await tx.query<{ id: string; status: MessageStatus }>(PAGE, [
    workspaceId,
    uuid,
    before.after_id,
    ...idsOfSecond(uuid),
    messagesMax,
  ]);
  const uuids = page.filter(({ status }) => WAITING.includes(status)).map(({ id }) => id);
  const canceled = await cancelMessages(tx, { workspaceId, uuids, nowMs });
  const others = page.map(({ id }) => id).filter((id) => !canceled.has(id));
  const hasCanceled = canceled.size > 0 || expansion !== undefined;

  if (hasCanceled && !before.has_effect) {
    const facts = expansion
      ? { ...expansion.request, recipient: targetName(expansion.request) ?? expansion.request.recipient }
      : await factsFrom(tx, { workspaceId, uuid, messageUuid: page[0]!.id });
    // An existing record of the request, of an earlier version without counts, stays.
    const stored = await storeSteps(tx, [recordStep(facts!)], nowMs);
    if (stored.has(uuid)) await cancelMessage(tx, { workspaceId, uuid, nowMs });
  }
  const canceledCount = canceled.size + (await canceledAmong(tx, workspaceId, others));
  const counts = [canceledCount, page.length - canceledCount];
  const values = [workspaceId, uuid, page.at(-1)?.id ?? null, ...counts, hasCanceled, page.length < messagesMax];
  const cancellation = (await tx.query<RequestCancellation>(ADVANCE, values))[0]!;
  return { cancellation, hasCanceled };
}

/** How many of a page's messages were canceled before. */
async function canceledAmong(tx: Queryable, workspaceId: string, uuids: readonly string[]) {
  if (uuids.length === 0) return 0;
  const [row] = await tx.query<{ canceled: number }>(CANCELED_AMONG, [workspaceId, uuids, uuids[0], uuids.at(-1)]);
  return row!.canceled;
}

/** Deletes the rows of requests older than `sinceMs`, whose messages have been removed, in short steps, until `stopping`. */
export function deleteOldRequestCancellations(database: Database, sinceMs: number, stopping: () => boolean): Promise<void> {
  return deleteInSteps(database, DELETE, [firstIdAt(Math.max(0, sinceMs))], { rows: DELETE_STEP, stopping });
}

const INTERVAL_MS = 30_000;
/** Requests of one round. */
const REQUESTS_MAX = 1_000;

/** Claiming postpones a request, so one that always fails does not block the others. */
const CLAIM = statement(
  'messaging.claim_request_cancellation',
  `update request_cancellations set due_at = now() + $1 * interval '1 millisecond'
    where (workspace_id, request_id) = (
      select workspace_id, request_id from request_cancellations where not finished and due_at <= now()
       order by due_at limit 1 for update skip locked)
   returning workspace_id as "workspaceId", request_id as uuid, begun_by as "startedBy"`,
);
const HAND_OVER = statement(
  'messaging.hand_over_request_cancellation',
  'update request_cancellations set due_at = now() where workspace_id = $1 and request_id = $2 and not finished',
);

/** Continues canceling requests whose call ended before all messages were canceled, or whose process ended. */
@Injectable()
export class RequestCancellationSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly history: HistoryPublisher,
    private readonly clock: Clock,
  ) {
    super({
      queue: 'messaging.request_cancellations',
      what: 'Canceling messages of canceled requests',
      intervalMs: INTERVAL_MS,
      stepsMax: REQUESTS_MAX,
    });
  }

  /** Leaves the rest of a request's messages to the sweeper, which starts at once. */
  async handOver(workspaceId: string, uuid: string): Promise<void> {
    await this.database.execute(HAND_OVER, [workspaceId, uuid]);
    this.wake();
  }

  protected async step(): Promise<boolean> {
    const [claimed] = await this.database.query<Omit<CancelableRequest, 'nowMs'>>(CLAIM, [RESUMED_AFTER_MS]);
    if (!claimed) return false;
    for (let isFinished = false; !isFinished && !this.stopping;) {
      const { cancellation } = await cancelNextMessages(this.database, { ...claimed, nowMs: this.clock.now() });
      this.history.committed();
      isFinished = cancellation.finished;
    }
    return true;
  }
}
