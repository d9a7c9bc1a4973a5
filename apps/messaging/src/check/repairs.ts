import { type Queryable, statement } from '@tidings/persistence/database';
import type { Problem, ProblemName } from './problems';
import { reopen, reopenDeliveries } from './reopen';

/** Rows of one step of a removal. */
const STEP_ROWS = 1_000;

// SQL because each repair asks again, in its own statement, whether the row is still wrong.
const NO_MESSAGE = (table: string) =>
  `not exists (select from messages where messages.workspace_id = ${table}.workspace_id and messages.id = ${table}.message_id)`;
const ENDED = (table: string) =>
  `exists (select from messages where messages.workspace_id = ${table}.workspace_id and messages.id = ${table}.message_id
             and messages.status in ('CANCELED', 'UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED', 'FILTERED'))`;
const OF_MESSAGE = 'workspace_id = $1 and message_id = $2';

const remove = (name: string, table: string, condition: string) =>
  statement(`messaging.repair_${name}`, `delete from ${table} where ${OF_MESSAGE} and ${condition}`);
const REMOVE_DELIVERIES = remove('deliveries', 'deliveries', NO_MESSAGE('deliveries'));
const REMOVE_OPEN = remove('open_states', 'open_messages', NO_MESSAGE('open_messages'));
const REMOVE_HISTORY = remove('history', 'history', NO_MESSAGE('history'));
const END_DELIVERIES = remove('ended_deliveries', 'deliveries', ENDED('deliveries'));
const END_OPEN = remove('ended_open_states', 'open_messages', ENDED('open_messages'));

const DUE = 'set due_at = clock_timestamp() where workspace_id = $1';
const RELEASES = {
  deliveries: statement('messaging.repair_lease', `update deliveries ${DUE} and message_id = $2 and leaf = $3`),
  open_messages: statement('messaging.repair_open_lease', `update open_messages ${DUE} and message_id = $2`),
  expansions: statement('messaging.repair_expansion_lease', `update expansions ${DUE} and request_id = $2`),
};

const COUNT_USERS = statement(
  'messaging.repair_bulk_count',
  `with job as (select workspace_id, job_id from bulk_jobs where workspace_id = $1 and job_id = $2 and status in ('CREATED', 'PROCESSING') for update)
   update bulk_jobs set received = (select count(*) from bulk_users where workspace_id = $1 and job_id = $2)
     from job where bulk_jobs.workspace_id = job.workspace_id and bulk_jobs.job_id = job.job_id`,
);
/** As the last page of an expansion does: ERROR where no user has a message. */
const END_JOB = statement(
  'messaging.repair_bulk_job',
  `update bulk_jobs set status = case when exists (
       select from bulk_users where workspace_id = $1 and job_id = $2 and message_id is not null) then 'COMPLETED' else 'ERROR' end
    where workspace_id = $1 and job_id = $2 and status = 'PROCESSING'
      and not exists (select from bulk_users where workspace_id = $1 and job_id = $2 and status = 'PENDING')`,
);
const REMOVE_USERS = statement(
  'messaging.repair_bulk_users',
  `delete from bulk_users where workspace_id = $1 and job_id = $2 and ordinal in (
     select ordinal from bulk_users where workspace_id = $1 and job_id = $2 order by ordinal limit ${STEP_ROWS})
     and not exists (select from bulk_jobs where workspace_id = $1 and job_id = $2)`,
);

type Repair = (database: Queryable, problem: Problem) => Promise<boolean>;

const execute =
  (...statements: (typeof REMOVE_DELIVERIES)[]): Repair =>
  async (database, { workspaceId, uuid }) => {
    for (const one of statements) await database.execute(one, [workspaceId, uuid]);
    return true;
  };

const REPAIRS: Partial<Record<ProblemName, Repair>> = {
  'delivery-without-message': execute(REMOVE_DELIVERIES),
  'open-state-without-message': execute(REMOVE_OPEN),
  'history-without-message': execute(REMOVE_HISTORY),
  'ended-message-with-work': execute(END_DELIVERIES, END_OPEN),
  'message-without-work': reopen,
  'open-state-without-work': reopenDeliveries,
  'stuck-lease': async (database, { workspaceId, uuid, leaf, table }) => {
    await database.execute(RELEASES[table!], table === 'deliveries' ? [workspaceId, uuid, leaf] : [workspaceId, uuid]);
    return true;
  },
  'job-with-other-users': execute(COUNT_USERS),
  'job-without-expansion': async (database, { workspaceId, uuid }) => (await database.execute(END_JOB, [workspaceId, uuid])) > 0,
  'users-without-job': async (database, { workspaceId, uuid }) => {
    while ((await database.execute(REMOVE_USERS, [workspaceId, uuid])) === STEP_ROWS);
    return true;
  },
};

/** Repairs a problem, unless it ended meanwhile. Resolves with whether it has ended. */
export async function repair(database: Queryable, problem: Problem): Promise<boolean> {
  return (await REPAIRS[problem.problem]?.(database, problem)) ?? false;
}
