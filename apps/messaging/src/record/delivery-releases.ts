import { WAITING_COUNTED_MAX } from '@tidings/contracts/messaging/provider-health';
import { type Queryable, statement, type Transaction } from '@tidings/persistence/database';

/** The deliveries of one provider configuration. */
interface DeliveriesKey {
  readonly workspaceId: string;
  /** Id of the configuration, which may have been removed. */
  readonly id: string;
}

/** Until then every process knows the change that causes a release: none calls the provider as it was before. */
export const RELEASE_DELAY_MS = 1_000;
/** Deliveries of one statement. */
export const RELEASE_PAGE = 1_000;

const FIRST_MESSAGE = '00000000-0000-0000-0000-000000000000';

// SQL because deliveries have no entity, and their rows are read and locked a page at a time.
const OF_CONFIGURATION = 'deliveries.workspace_id = $1 and deliveries.integration = $2';

const COUNT = statement(
  'messaging.count_deliveries',
  `select count(*)::integer as open, max(since_ms)::float8 as since_ms,
          (count(*) filter (where not attempt_open and not has_slot and due_at > clock_timestamp()))::integer as waiting
     from deliveries where ${OF_CONFIGURATION}`,
);

// SQL because each configuration is counted through the index of its deliveries, up to a bound, the newest messages first.
const WAITING = statement(
  'messaging.waiting_deliveries',
  `select given.id, counted.waiting, counted.retried from unnest($2::text[]) as given (id) cross join lateral (
     select count(*)::integer as waiting, (count(*) filter (where last_error is not null))::integer as retried from (
       select last_error from deliveries where workspace_id = $1 and integration = given.id
        order by message_id desc, leaf desc limit ${WAITING_COUNTED_MAX}) as bounded) as counted`,
);

const ADDED = 'delivery_releases as earlier (workspace_id, configuration_id, due_at, frees_slots, after_message, after_leaf)';
const ADDED_AGAIN = `on conflict (workspace_id, configuration_id) do update
     set due_at = excluded.due_at, frees_slots = earlier.frees_slots or excluded.frees_slots,
         after_message = excluded.after_message, after_leaf = excluded.after_leaf`;

const ADD = statement(
  'messaging.add_delivery_release',
  `insert into ${ADDED}
   values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond', $4, '${FIRST_MESSAGE}', -1)
   ${ADDED_AGAIN}`,
);

/** Goes from one configuration to the next in the index: their number counts, that of their deliveries does not. */
const ADD_OF = statement(
  'messaging.add_delivery_releases_of',
  `with recursive configurations as (
     (select workspace_id, integration, provider from deliveries where $2::uuid is null or workspace_id = $2
       order by workspace_id, integration limit 1)
     union all
     select later.* from configurations cross join lateral (
       select workspace_id, integration, provider from deliveries
        where (workspace_id, integration) > (configurations.workspace_id, configurations.integration)
          and ($2::uuid is null or workspace_id = $2)
        order by workspace_id, integration limit 1) later
   )
   insert into ${ADDED}
   select workspace_id, integration, clock_timestamp() + $3 * interval '1 millisecond', false, '${FIRST_MESSAGE}', -1
     from configurations where $1 in (integration, provider) order by workspace_id, integration
   ${ADDED_AGAIN}`,
);

const CLAIM = statement(
  'messaging.claim_delivery_release',
  `select workspace_id as "workspaceId", configuration_id as id, frees_slots as "freesSlots", after_message as "afterMessage", after_leaf as "afterLeaf"
     from delivery_releases where due_at <= (select clock_timestamp()) order by due_at limit 1 for update skip locked`,
);

const NEXT_DUE = statement(
  'messaging.next_delivery_release',
  'select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms from delivery_releases',
);

/** Returns the last delivery of the page, and how many the page has. */
const RELEASE = statement(
  'messaging.release_deliveries',
  `with page as (
     select message_id, leaf from deliveries
     where ${OF_CONFIGURATION} and (message_id, leaf) > ($3::uuid, $4::smallint)
     order by message_id, leaf limit $5
   ), waiting as (
     select deliveries.message_id, deliveries.leaf from deliveries join page using (message_id, leaf)
     where not deliveries.attempt_open and (not deliveries.has_slot or $6) and deliveries.due_at > clock_timestamp()
     order by deliveries.message_id, deliveries.leaf for update of deliveries skip locked
   ), released as (
     update deliveries set due_at = clock_timestamp(), has_slot = false
     from waiting where deliveries.message_id = waiting.message_id and deliveries.leaf = waiting.leaf
   )
   select message_id as "afterMessage", leaf as "afterLeaf", (select count(*) from page)::integer as read
     from page order by message_id desc, leaf desc limit 1`,
);

const CONTINUE = statement(
  'messaging.continue_delivery_release',
  'update delivery_releases set after_message = $3, after_leaf = $4 where workspace_id = $1 and configuration_id = $2',
);

const END = statement('messaging.end_delivery_release', 'delete from delivery_releases where workspace_id = $1 and configuration_id = $2');

/** The open deliveries of a configuration. */
interface OpenDeliveries {
  readonly open: number;
  /** Those whose next attempt is due later, without a slot of the provider's rate. */
  readonly waiting: number;
  /** Latest start of a message's time limit, ms since the epoch; `null` where none is open. */
  readonly since_ms: number | null;
}

/** Counts the deliveries of a configuration. */
export async function countDeliveries(database: Queryable, { workspaceId, id }: DeliveriesKey): Promise<OpenDeliveries> {
  const [counted] = await database.query<OpenDeliveries>(COUNT, [workspaceId, id]);
  return counted!;
}

/** What waits for a configuration or is in progress, up to `WAITING_COUNTED_MAX`; `retried` has failed before. */
interface WaitingDeliveries {
  readonly id: string;
  readonly waiting: number;
  readonly retried: number;
}

/** Counts what waits for each configuration of a workspace, up to a bound. */
export async function waitingDeliveries(database: Queryable, workspaceId: string, ids: readonly string[]): Promise<WaitingDeliveries[]> {
  return database.query<WaitingDeliveries>(WAITING, [workspaceId, ids]);
}

/**
 * Makes the waiting deliveries of a configuration due `RELEASE_DELAY_MS` after the transaction; `releaseNext` does it. A release in
 * progress begins again.
 * @param freesSlots includes those with a slot of the provider's rate, which is void.
 */
export async function addRelease(tx: Transaction, { workspaceId, id }: DeliveriesKey, freesSlots: boolean): Promise<void> {
  await tx.execute(ADD, [workspaceId, id, RELEASE_DELAY_MS, freesSlots]);
}

/** As `addRelease`, for every configuration with this id or kind that has deliveries. @param workspaceId absent: in all workspaces. */
export async function addReleasesOf(tx: Transaction, idOrKind: string, workspaceId?: string): Promise<void> {
  await tx.execute(ADD_OF, [idOrKind, workspaceId ?? null, RELEASE_DELAY_MS]);
}

/**
 * Releases the next page of deliveries. Each is released once, also where its next attempt fails meanwhile. Resolves with whether a
 * release was due.
 */
export async function releaseNext(tx: Queryable): Promise<boolean> {
  const [release] = await tx.query<DeliveriesKey & { freesSlots: boolean; afterMessage: string; afterLeaf: number }>(CLAIM, []);
  if (!release) return false;
  const { workspaceId, id, afterMessage, afterLeaf, freesSlots } = release;
  const [last] = await tx.query<{ afterMessage: string; afterLeaf: number; read: number }>(RELEASE, [
    workspaceId,
    id,
    afterMessage,
    afterLeaf,
    RELEASE_PAGE,
    freesSlots,
  ]);
  if (last?.read === RELEASE_PAGE) await tx.execute(CONTINUE, [workspaceId, id, last.afterMessage, last.afterLeaf]);
  else await tx.execute(END, [workspaceId, id]);
  return true;
}

/** Milliseconds until the next release is due (0 or less: another process continues it); undefined where there is none. */
export async function nextReleaseMs(database: Queryable): Promise<number | undefined> {
  const [row] = await database.query<{ wait_ms: number | null }>(NEXT_DUE, []);
  return row?.wait_ms ?? undefined;
}
