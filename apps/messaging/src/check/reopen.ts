import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { type Queryable, statement } from '@tidings/persistence/database';
import type { RoutingTree } from '../record/routing-tree';
import { laneNumber } from '../record/step-store';
import { storedRequest } from '../record/stored-events';
import type { Problem } from './problems';

// SQL because deliveries and open states have no entities.
const LOCK_OPEN = statement(
  'messaging.repair_lock_open',
  `select lane, state from open_messages where workspace_id = $1 and message_id = $2 and due_at is null for update`,
);
const LOCK_MESSAGE = statement(
  'messaging.repair_lock_message',
  `select status, enqueued_at::float8 as "enqueuedAt" from messages where workspace_id = $1 and id = $2 and status in ('ENQUEUED', 'DELAYED', 'ROUTED')
      and not exists (select from open_messages where message_id = $2) for update`,
);
const HAS_DELIVERY = statement('messaging.repair_has_delivery', 'select from deliveries where message_id = $1 limit 1');
const HISTORY = statement('messaging.repair_history_of', 'select number, events from history where message_id = $1 order by number');
/** Attempted, as their calls may have been made: a cancel must not end them. */
const OPEN_DELIVERY = statement(
  'messaging.repair_open_delivery',
  `insert into deliveries (message_id, leaf, workspace_id, lane, channel, integration, provider, step, more, since_ms, attempt, attempt_open, announced, due_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, false, $11, clock_timestamp()) on conflict do nothing`,
);
const PARK = statement(
  'messaging.repair_park',
  `insert into open_messages (message_id, workspace_id, lane, stage, turn, due_at, state)
   values ($1, $2, $3, 'parked', 0, clock_timestamp(), '{}') on conflict do nothing`,
);
const MAKE_DUE = statement('messaging.repair_open_due', 'update open_messages set due_at = clock_timestamp() where message_id = $1');

interface StoredStep {
  number: number;
  events: HistoryEvent[];
}

/** A route whose content the history has, and whose outcome it has not. */
interface StartedRoute {
  leaf: number;
  channel: string;
  integration: string;
  provider: string;
  /** Number of the step with its content. */
  step: number;
  isAnnounced: boolean;
}

/**
 * Opens a message again of which nothing waits: its routes without an outcome, byte for byte as they were rendered; one without such a
 * route from its beginning. Resolves with false where its history does not allow it.
 */
export function reopen(database: Queryable, { workspaceId, uuid }: Problem): Promise<boolean> {
  return inTransaction(database, async () => {
    const [message] = await database.query<{ status: string; enqueuedAt: number }>(LOCK_MESSAGE, [workspaceId, uuid]);
    if (!message || (await hasDelivery(database, uuid))) return true; // something waits again
    const steps = await database.query<StoredStep>(HISTORY, [uuid]);
    const enqueued = steps[0]?.number === 1 ? steps[0].events.find(({ type }) => type === 'ENQUEUED') : undefined;
    if (!enqueued) return false;
    const { lane: name = 'normal' } = storedRequest(workspaceId, uuidToMessageId(uuid), enqueued);
    const lane = laneNumber(name);
    const routes = message.status === 'ROUTED' ? unendedRoutes(steps) : [];
    if (routes.length === 0) await database.execute(PARK, [uuid, workspaceId, lane]);
    for (const route of routes)
      await openDelivery(database, { workspaceId, uuid }, { ...route, lane, more: false, sinceMs: message.enqueuedAt });
    return true;
  });
}

/** Opens the deliveries again for which a message waits. Resolves with false where its history does not have their content. */
export function reopenDeliveries(database: Queryable, { workspaceId, uuid }: Problem): Promise<boolean> {
  return inTransaction(database, async () => {
    const [open] = await database.query<{ lane: number; state: { tree?: RoutingTree } }>(LOCK_OPEN, [workspaceId, uuid]);
    if (!open || (await hasDelivery(database, uuid))) return true; // it waits for something else now
    const { tree } = open.state;
    const started = tree?.leaves.flatMap((leaf, number) => (tree.states[number] === 'started' ? [{ ...leaf, number }] : [])) ?? [];
    if (started.length === 0) {
      await database.execute(MAKE_DUE, [uuid]);
      return true;
    }
    const rendered = renderedRoutes(await database.query<StoredStep>(HISTORY, [uuid]));
    const routes = started.flatMap(({ channel, integration, number }) => {
      const route = rendered.findLast((one) => one.channel === channel && one.integration === integration);
      return route ? [{ ...route, leaf: number }] : [];
    });
    if (routes.length < started.length) return false;
    const fields = { lane: open.lane, more: true, sinceMs: tree!.since };
    for (const route of routes) await openDelivery(database, { workspaceId, uuid }, { ...route, ...fields });
    return true;
  });
}

async function openDelivery(
  database: Queryable,
  { workspaceId, uuid }: Pick<Problem, 'workspaceId' | 'uuid'>,
  route: StartedRoute & { lane: number; more: boolean; sinceMs: number },
) {
  const { leaf, lane, channel, integration, provider, step, more, sinceMs, isAnnounced } = route;
  await database.execute(OPEN_DELIVERY, [uuid, leaf, workspaceId, lane, channel, integration, provider, step, more, sinceMs, isAnnounced]);
}

async function hasDelivery(database: Queryable, uuid: string) {
  return (await database.query(HAS_DELIVERY, [uuid])).length > 0;
}

function unendedRoutes(steps: readonly StoredStep[]) {
  const failed = steps.flatMap(({ events }) => events.filter(({ type }) => type === 'UNDELIVERABLE').map(nameOf));
  return renderedRoutes(steps).filter((route) => !failed.includes(`${route.channel}/${route.integration}`));
}

/** The routes in the order of their start, which is that of their leaves. */
function renderedRoutes(steps: readonly StoredStep[]): StartedRoute[] {
  const isAnnounced = steps.some(({ events }) => events.some(({ type }) => type === 'DELIVERING'));
  return steps
    .flatMap(({ number, events }) => events.filter(({ type }) => type === 'RENDERED').map((event) => ({ number, event })))
    .map(({ number, event }, leaf) => {
      const { channel, integration } = event as unknown as { channel: { id: string }; integration: { id: string; provider: string } };
      return { leaf, channel: channel.id, integration: integration.id, provider: integration.provider, step: number, isAnnounced };
    });
}

function nameOf(event: HistoryEvent) {
  const { channel, integration } = event as unknown as { channel?: { id: string }; integration?: { id: string } };
  return `${channel?.id}/${integration?.id}`;
}

/** On the one connection of the check. */
async function inTransaction(database: Queryable, work: () => Promise<boolean>) {
  await database.execute('begin');
  try {
    const result = await work();
    await database.execute('commit');
    return result;
  } catch (error) {
    await database.execute('rollback');
    throw error;
  }
}
