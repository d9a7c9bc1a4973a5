import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { type Queryable, statement } from '@tidings/persistence/database';
import { FIRST_ID, firstIdOfWeek } from '../record/weeks';
import type { Problem } from './problems';

/** Rows of one page. */
const PAGE = 1_000;
/** More than any lease, and than any regular wait. */
const LEASE_LIMIT = `interval '10 minutes'`;
const WAIT_LIMIT = `interval '31 days'`;

/** Statuses of messages that have not ended. */
const WAITING: readonly string[] = ['ENQUEUED', 'DELAYED', 'ROUTED'];
/** Statuses after which nothing of a message may wait. */
const ENDED: readonly string[] = ['CANCELED', 'UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED', 'FILTERED'];

/** Messages of a workspace. */
export interface Counts {
  final: number;
  pending: number;
}

/** One page of a table, read by one statement: all that it says was true at one instant. */
export interface Page {
  readonly rows: number;
  readonly problems: readonly Problem[];
  readonly counts?: ReadonlyMap<string, Counts>;
  /** Where the next page begins; absent: this is the last one. */
  readonly next?: unknown[];
}

/** Reads a table page by page. @param after `next` of the page before */
export interface Pass {
  readonly name: string;
  page(database: Queryable, after: unknown[] | undefined): Promise<Page>;
}

// SQL because each page joins the tables that must agree, at one instant, without entities.
const WORKSPACE = statement(
  'messaging.check_workspace',
  'select workspace_id from messages where workspace_id > $1 order by workspace_id limit 1',
);
const MESSAGES = statement(
  'messaging.check_messages',
  `select page.id, page.status,
          exists (select from deliveries where deliveries.message_id = page.id)
            or exists (select from open_messages where open_messages.message_id = page.id) as "hasWork",
          page.id < $3 or exists (select from history where history.message_id = page.id and history.number = 1) as "hasHistory"
     from (select id, status from messages where workspace_id = $1 and id > $2 order by id limit ${PAGE}) page order by page.id`,
);
const OLDEST_HISTORY = statement(
  'messaging.check_oldest_history',
  `select min(substring(child.relname from '_w([0-9]+)$')::integer) as week
     from pg_inherits join pg_class as child on child.oid = inhrelid where inhparent = 'history'::regclass`,
);
const DELIVERIES = statement(
  'messaging.check_deliveries',
  `select page.workspace_id as "workspaceId", page.message_id as uuid, page.leaf, messages.status, page.is_stuck as "isStuck"
     from (
       select workspace_id, message_id, leaf,
              not has_slot and due_at > clock_timestamp() + case when attempt_open then ${LEASE_LIMIT} else ${WAIT_LIMIT} end as is_stuck
         from deliveries where (message_id, leaf) > ($1::uuid, $2::smallint) order by message_id, leaf limit ${PAGE}
     ) page left join messages on messages.workspace_id = page.workspace_id and messages.id = page.message_id
    order by page.message_id, page.leaf`,
);
const OPEN = statement(
  'messaging.check_open_messages',
  `select page.workspace_id as "workspaceId", page.message_id as uuid, messages.status, page.is_stuck as "isStuck",
          page.due_at is null and not exists (select from deliveries where deliveries.message_id = page.message_id) as "hasNoWork"
     from (
       select workspace_id, message_id, due_at,
              coalesce(claimed_generation = turn and due_at > clock_timestamp() + ${LEASE_LIMIT}, false) as is_stuck
         from open_messages where message_id > $1 order by message_id limit ${PAGE}
     ) page left join messages on messages.workspace_id = page.workspace_id and messages.id = page.message_id
    order by page.message_id`,
);
const EXPANSIONS = statement(
  'messaging.check_expansions',
  `select workspace_id as "workspaceId", request_id as uuid,
          coalesce(claimed_generation = turn and due_at > clock_timestamp() + ${LEASE_LIMIT}, false) as "isStuck"
     from expansions where request_id > $1 order by request_id limit ${PAGE}`,
);
const HISTORY = statement(
  'messaging.check_history',
  `select page.workspace_id as "workspaceId", page.message_id as uuid, page.number,
          exists (select from messages where messages.workspace_id = page.workspace_id and messages.id = page.message_id) as "hasMessage"
     from (select workspace_id, message_id, number from history
            where (message_id, number) > ($1::uuid, $2::integer) order by message_id, number limit ${PAGE}) page
    order by page.message_id, page.number`,
);
const JOBS = statement(
  'messaging.check_bulk_jobs',
  `select workspace_id as "workspaceId", job_id as uuid, status, received,
          case when status in ('CREATED', 'PROCESSING') then (
            select count(*) from bulk_users where bulk_users.workspace_id = page.workspace_id and bulk_users.job_id = page.job_id
          ) else received end::integer as users,
          array(select request ->> 'jobId' from expansions where expansions.workspace_id = page.workspace_id
                 and request ->> 'jobId' is not null and page.status = 'PROCESSING') as expanded
     from (select workspace_id, job_id, status, received from bulk_jobs
            where (workspace_id, job_id) > ($1::uuid, $2::uuid) order by workspace_id, job_id limit 100) page
    order by workspace_id, job_id`,
);
const USERS = statement(
  'messaging.check_bulk_users',
  `select workspace_id as "workspaceId", job_id as uuid,
          exists (select from bulk_jobs where bulk_jobs.workspace_id = page.workspace_id and bulk_jobs.job_id = page.job_id) as "hasJob"
     from (select workspace_id, job_id from bulk_users
            where (workspace_id, job_id) > ($1::uuid, $2::uuid) order by workspace_id, job_id limit 1) page`,
);

interface Owned {
  workspaceId: string;
  uuid: string;
}

/** Every table, in the order of the check. The messages are counted; the log of requests comes after them. */
export const PASSES: readonly Pass[] = [
  { name: 'messages', page: messagesPage },
  {
    name: 'deliveries',
    page: async (database, after = [FIRST_ID, -1]) => {
      const rows = await database.query<Owned & { leaf: number; status: string | null; isStuck: boolean }>(DELIVERIES, after);
      const problems = rows.flatMap(({ status, isStuck, ...delivery }): Problem[] => {
        if (status === null) return [{ problem: 'delivery-without-message', ...delivery }];
        if (ENDED.includes(status)) return [{ problem: 'ended-message-with-work', ...delivery }];
        return isStuck ? [{ problem: 'stuck-lease', table: 'deliveries', ...delivery }] : [];
      });
      return pageOf(rows, problems, ({ uuid, leaf }) => [uuid, leaf]);
    },
  },
  {
    name: 'open messages',
    page: async (database, after = [FIRST_ID]) => {
      const rows = await database.query<Owned & { status: string | null; isStuck: boolean; hasNoWork: boolean }>(OPEN, after);
      const problems = rows.flatMap(({ status, isStuck, hasNoWork, ...message }): Problem[] => {
        if (status === null) return [{ problem: 'open-state-without-message', ...message }];
        if (ENDED.includes(status)) return [{ problem: 'ended-message-with-work', ...message }];
        if (hasNoWork) return [{ problem: 'open-state-without-work', ...message }];
        return isStuck ? [{ problem: 'stuck-lease', table: 'open_messages', ...message }] : [];
      });
      return pageOf(rows, problems, ({ uuid }) => [uuid]);
    },
  },
  {
    name: 'expansions',
    page: async (database, after = [FIRST_ID]) => {
      const rows = await database.query<Owned & { isStuck: boolean }>(EXPANSIONS, after);
      const stuck = rows.filter(({ isStuck }) => isStuck);
      const problems = stuck.map(({ workspaceId, uuid }): Problem => ({ problem: 'stuck-lease', table: 'expansions', workspaceId, uuid }));
      return pageOf(rows, problems, ({ uuid }) => [uuid]);
    },
  },
  {
    name: 'history',
    page: async (database, after = [FIRST_ID, 0]) => {
      const rows = await database.query<Owned & { number: number; hasMessage: boolean }>(HISTORY, after);
      const orphans = new Map(rows.filter(({ hasMessage }) => !hasMessage).map((row) => [row.uuid, row]));
      const problems = [...orphans.values()].map(({ workspaceId, uuid }): Problem => ({
        problem: 'history-without-message',
        workspaceId,
        uuid,
      }));
      return pageOf(rows, problems, ({ uuid, number }) => [uuid, number]);
    },
  },
  {
    name: 'bulk jobs',
    page: async (database, after = [FIRST_ID, FIRST_ID]) => {
      interface Row extends Owned {
        status: string;
        received: number;
        users: number;
        expanded: string[];
      }
      const rows = await database.query<Row>(JOBS, after);
      const problems = rows.flatMap(({ workspaceId, uuid, status, received, users, expanded }): Problem[] => [
        ...(received === users ? [] : [{ problem: 'job-with-other-users', workspaceId, uuid } as const]),
        ...(status === 'PROCESSING' && !expanded.includes(uuidToMessageId(uuid))
          ? [{ problem: 'job-without-expansion', workspaceId, uuid } as const]
          : []),
      ]);
      return pageOf(rows, problems, ({ workspaceId, uuid }) => [workspaceId, uuid]);
    },
  },
  {
    name: 'users of bulk jobs',
    page: async (database, after = [FIRST_ID, FIRST_ID]) => {
      const rows = await database.query<Owned & { hasJob: boolean }>(USERS, after);
      const problems = rows.flatMap(({ workspaceId, uuid, hasJob }): Problem[] =>
        hasJob ? [] : [{ problem: 'users-without-job', workspaceId, uuid }],
      );
      return pageOf(rows, problems, ({ workspaceId, uuid }) => [workspaceId, uuid]);
    },
  },
];

function pageOf<Row>(rows: readonly Row[], problems: readonly Problem[], keyOf: (row: Row) => unknown[]): Page {
  const last = rows.at(-1);
  return { rows: rows.length, problems, next: last && keyOf(last) };
}

/** Messages of one workspace after another. `after`: the workspace, the last id, and the first id whose history is retained. */
async function messagesPage(database: Queryable, after?: unknown[]): Promise<Page> {
  const [workspaceId, id, historyFrom] = (after ?? (await firstWorkspace(database))) as [string?, string?, string?];
  if (workspaceId === undefined) return { rows: 0, problems: [] };
  interface Row {
    id: string;
    status: string;
    hasWork: boolean;
    hasHistory: boolean;
  }
  const rows = await database.query<Row>(MESSAGES, [workspaceId, id, historyFrom]);
  const counts: Counts = { final: 0, pending: 0 };
  const problems: Problem[] = [];
  for (const { id: uuid, status, hasWork, hasHistory } of rows) {
    if (hasWork) counts.pending += 1;
    else if (WAITING.includes(status)) problems.push({ problem: 'message-without-work', workspaceId, uuid });
    else counts.final += 1;
    if (!hasHistory) problems.push({ problem: 'message-without-history', workspaceId, uuid });
  }
  const next = rows.length > 0 ? [workspaceId, rows.at(-1)!.id, historyFrom] : await nextWorkspace(database, workspaceId, historyFrom!);
  return { rows: rows.length, problems, counts: new Map([[workspaceId, counts]]), next };
}

async function firstWorkspace(database: Queryable) {
  const [row] = await database.query<{ week: number | null }>(OLDEST_HISTORY);
  return (await nextWorkspace(database, FIRST_ID, row?.week ? firstIdOfWeek(row.week) : FIRST_ID)) ?? [];
}

async function nextWorkspace(database: Queryable, before: string, historyFrom: string) {
  const [row] = await database.query<{ workspace_id: string }>(WORKSPACE, [before]);
  return row && [row.workspace_id, FIRST_ID, historyFrom];
}
