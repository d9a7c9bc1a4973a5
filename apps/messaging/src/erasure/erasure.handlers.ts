import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext } from '@tidings/contracts/core/context';
import { invalid } from '@tidings/contracts/core/refusals';
import { type EraseMessages, messagingErasure } from '@tidings/contracts/messaging/erasure';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { SUPPRESSION_CHANNELS } from '@tidings/contracts/messaging/suppression-address';
import type { Target } from '@tidings/contracts/messaging/targets';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import { HistoryPublisher } from '../publish/history-publisher';
import { Router } from '../accept/router';
import { cancelMessage, retryOnConflict } from '../record/cancel-store';
import { ERASED, erasedEvents } from '../record/erased';
import { UnstoredMessages } from '../record/unstored-messages';
import { Suppressions } from '../suppressions/suppressions';

// SQL because messages, history and expansions have no entity, and an erasure takes the locks of their writers.
const MESSAGES_OF = statement('messaging.messages_to_erase', `select id from messages where workspace_id = $1 and recipient = $2 limit $3`);

const TAGS = statement('messaging.tags_to_erase', `select tags, archived from messages where workspace_id = $1 and id = $2`);

/** Tags and trace ids are free text of the sender and may name the person. */
const ERASE_MESSAGE = statement(
  'messaging.erase_message',
  `update messages set recipient = '${ERASED}', error = null, tags = null, trace_id = null, idempotency_key = null,
          providers = (select jsonb_agg(one.leaf - 'error' - 'reference' - 'providerResponse' - 'failure' order by one.ordinal)
                       from jsonb_array_elements(providers) with ordinality as one (leaf, ordinal))
   where workspace_id = $1 and id = $2`,
);

const ERASE_TERMS = statement(
  'messaging.erase_terms',
  `delete from message_terms where workspace_id = $1 and id = $2 and archived = $3 and term = any($4::text[])`,
);

const HISTORY_OF = statement(
  'messaging.history_to_erase',
  `select number, events from history where workspace_id = $1 and message_id = $2 order by number for update`,
);

/**
 * The last row gets a new sequence after all others, so that the relay publishes the message once more, whatever it has read before. The
 * sequence is drawn under the lock of appends.
 */
const ERASE_HISTORY = statement(
  'messaging.erase_history',
  `with locked as materialized (select pg_advisory_xact_lock(hashtext('messaging.history')))
   update history set events = input.events,
          sequence = case when input.is_last then nextval('history_sequence') else history.sequence end
   from (select count(*) from locked) as all_locked
   cross join json_to_recordset($3::json) as input(number integer, events json, is_last boolean)
   where history.workspace_id = $1 and history.message_id = $2 and history.number = input.number`,
);

/** Up to `limit` messages (uuid) of a recipient that are not erased yet. */
async function messagesOf(database: Queryable, workspaceId: string, recipient: string, limit: number) {
  return (await database.query<{ id: string }>(MESSAGES_OF, [workspaceId, recipient, limit])).map(({ id }) => id);
}

/** Removes recipient and content of a message that is not open any more. Under the locks of `cancelMessage`. */
async function eraseMessage(tx: Queryable, workspaceId: string, uuid: string) {
  const [row] = await tx.query<{ tags: string[] | null; archived: boolean }>(TAGS, [workspaceId, uuid]);
  await tx.execute(ERASE_MESSAGE, [workspaceId, uuid]);
  if (row?.tags) await tx.execute(ERASE_TERMS, [workspaceId, uuid, row.archived, row.tags.map((tag) => `tag:${tag}`)]);
  const steps = await tx.query<{ number: number; events: HistoryEvent[] }>(HISTORY_OF, [workspaceId, uuid]);
  const last = steps.at(-1)?.number;
  const rows = steps.map(({ number, events }) => ({ number, events: erasedEvents(events), is_last: number === last }));
  if (rows.length > 0) await tx.execute(ERASE_HISTORY, [workspaceId, uuid, JSON.stringify(rows)]);
}

/** Jobs of one step; a job has a user once. */
const STEP_JOBS = 50;
/** Error of an erased user that was not sent to. */
const ERASED_ERROR = 'The user was erased';

/** Searches through the jobs of the workspace, which are few compared to their users: this needs no further index. */
const JOBS_OF = statement(
  'messaging.bulk_jobs_to_erase_from',
  `select job_id from bulk_jobs
   where workspace_id = $1 and exists (
     select from bulk_users
     where bulk_users.workspace_id = bulk_jobs.workspace_id and bulk_users.job_id = bulk_jobs.job_id and bulk_users.recipient = $2)
   order by job_id limit ${STEP_JOBS}`,
);

/**
 * The row stays, without recipient, so that the job's counts stay correct; a pending user counts as failed. Lock order, as in pages of a
 * run: user, job.
 */
const ERASE = statement(
  'messaging.erase_bulk_user',
  `with found as materialized (
     select ordinal, status from bulk_users where workspace_id = $1 and job_id = $2 and recipient = $3 for update
   ), erased as (
     update bulk_users set recipient = null, entry = '{}', bytes = 2,
            status = case found.status when 'PENDING' then 'ERROR' else found.status end,
            error = case found.status when 'ENQUEUED' then null else '${ERASED_ERROR}' end
     from found where bulk_users.workspace_id = $1 and bulk_users.job_id = $2 and bulk_users.ordinal = found.ordinal
     returning found.status
   )
   update bulk_jobs set failures = failures + (select count(*) from erased where status = 'PENDING')
   where workspace_id = $1 and job_id = $2 and exists (select from erased)`,
);

/** Erases a user from up to `STEP_JOBS` bulk jobs in any state; resolves with the number of jobs. The next step erases the rest. */
export async function eraseFromBulkJobs(database: Queryable, workspaceId: string, recipient: string): Promise<number> {
  let erased = 0;
  for (const { job_id } of await database.query<{ job_id: string }>(JOBS_OF, [workspaceId, recipient])) {
    erased += await database.execute(ERASE, [workspaceId, job_id, recipient]);
  }
  return erased;
}

/** Requests of one step. */
const STEP_REQUESTS = 10;

const NAMING = statement(
  'messaging.expansions_naming',
  `select request_id, request from expansions
   where workspace_id = $1 and exists (select from json_array_elements(request -> 'targets') as target where target ->> 'recipient' = $2)
   order by request_id limit ${STEP_REQUESTS} for update`,
);
const REPLACE = statement('messaging.replace_expansion_request', `update expansions set request = $2 where request_id = $1`);
/**
 * Makes expansions repeat their pages in progress, which then do not find users erased before. Waits for pages that are being stored.
 * Afterwards no message is made for a recipient found earlier. Generation 0: not claimed yet, so no page is in progress.
 */
const INTERRUPT = statement(
  'messaging.interrupt_expansions',
  `update expansions set turn = expansions.turn + 1, due_at = clock_timestamp()
   from (select request_id from expansions where workspace_id = $1 and turn > 0 order by request_id for update) claimed
   where expansions.request_id = claimed.request_id`,
);

/**
 * Erases a user from requests in expansion that name them; resolves with the number of requests. Targets are identified by their index, so
 * an empty target replaces the user.
 */
function eraseFromExpansions(database: Database, workspaceId: string, recipient: string) {
  return database.transaction(async (tx) => {
    const rows = await tx.query<{ request_id: string; request: MessageRequested }>(NAMING, [workspaceId, recipient]);
    for (const { request_id, request } of rows) {
      const targets = request.targets!.map((target) => (target.kind === 'user' && target.recipient === recipient ? emptyTarget() : target));
      await tx.execute(REPLACE, [request_id, JSON.stringify({ ...request, targets })]);
    }
    return rows.length;
  });
}

/** A list with a random id, which does not exist. */
function emptyTarget(): Target {
  return { kind: 'list', listId: `erased-${randomBytes(16).toString('hex')}` };
}

/** Messages of one step, a transaction each. */
export const STEP_MESSAGES = 50;
/** Attempts of a message while its steps are stored at the same time; then the next step of the erasure retries. */
const ATTEMPTS_MAX = 3;
/** How long a step waits until everything accepted before the first one is routed. */
const ROUTED_WAIT_MS = 2_000;
const ROUTED_POLL_MS = 100;

/**
 * Erases a recipient and the content from their messages. A message keeps its id, its times and its status, without recipient. A step has
 * no stored progress: it erases what is left, so any caller can repeat or continue it. The time of the first step is passed on: a burst
 * is deferred longer than a step waits, and what was accepted later is not waited for.
 */
@Handles(messagingErasure)
export class ErasureHandlers {
  constructor(
    private readonly database: Database,
    private readonly router: Router,
    private readonly unstored: UnstoredMessages,
    private readonly history: HistoryPublisher,
    private readonly clock: Clock,
    private readonly suppressions: Suppressions,
  ) {}

  async erase({ workspaceId }: CallContext, { user_id: userId, accepted_up_to: firstStartedAt }: EraseMessages) {
    if (userId === ERASED) throw invalid(`user_id ${userId} stands for erased users and cannot be erased itself`);

    const accepted_up_to = firstStartedAt ?? this.clock.now();
    const requests = await eraseFromExpansions(this.database, workspaceId, userId);
    const bulk_users = await eraseFromBulkJobs(this.database, workspaceId, userId);
    const uuids = await messagesOf(this.database, workspaceId, userId, STEP_MESSAGES);
    await this.history.forget(workspaceId, uuids.map(uuidToMessageId));
    const suppressions = await this.eraseSuppressions(workspaceId, userId, uuids);
    const removed = { requests, bulk_users, canceled: 0, messages: 0, suppressions };
    for (const uuid of uuids) {
      const message = { workspaceId, uuid, nowMs: this.clock.now() };
      const outcome = await retryOnConflict(ATTEMPTS_MAX, () =>
        this.database.transaction(async (tx) => {
          const isCanceled = await cancelMessage(tx, message, { force: true });
          await eraseMessage(tx, workspaceId, uuid);
          return { isCanceled };
        }),
      );
      if (outcome === 'conflict') continue;
      removed.messages += 1;
      if (outcome.isCanceled) removed.canceled += 1;
    }
    // Again: those that were reported before their message was erased. Nothing is reported of it any more.
    if (uuids.length > 0) removed.suppressions += await this.eraseSuppressions(workspaceId, userId, uuids);
    this.history.committed();
    const hasFound = uuids.length > 0 || requests > 0 || bulk_users > 0;
    const done = !hasFound && (await this.isAllRouted(accepted_up_to)) && (await this.hasNone(workspaceId, userId));
    return { done, removed, accepted_up_to };
  }

  /** Replaces suppressed addresses that these messages went to, and the id where it is an address itself. */
  private eraseSuppressions(workspaceId: string, userId: string, uuids: readonly string[]) {
    const addresses = SUPPRESSION_CHANNELS.map((channel) => ({ channel, address: userId }));
    return this.database.transaction((tx) => this.suppressions.erase(tx, workspaceId, uuids, addresses));
  }

  /** Whether everything accepted up to `time` is stored; waits up to `ROUTED_WAIT_MS`. */
  private async isAllRouted(time: number) {
    const end = this.clock.now() + ROUTED_WAIT_MS;
    do {
      if (await this.router.hasRoutedUpTo(time)) return true;
      await delay(ROUTED_POLL_MS);
    } while (this.clock.now() < end);
    return false;
  }

  /** Whether no data is left, also of messages routed meanwhile, and none can follow from expansions in progress. */
  private async hasNone(workspaceId: string, userId: string) {
    if ((await eraseFromExpansions(this.database, workspaceId, userId)) > 0) return false;
    await this.database.execute(INTERRUPT, [workspaceId]);
    await this.unstored.stored(); // where the connection that locks a page was lost
    return (await messagesOf(this.database, workspaceId, userId, 1)).length === 0;
  }
}
