import { Logger } from '@nestjs/common';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import { byKey } from '@tidings/persistence/by-key';
import { type Database, type Queryable, statement } from '@tidings/persistence/database';
import { escalationDue, isInProgress, leavesToStart, unmet, withSent, withState } from './routing-tree';
import { deriveStatus, type StatusChange } from './derive-status';
import { laneNumber, laneOf, type MessageStep, type OpenState, storeSteps } from './step-store';
import type { FinalOutcome } from './delivery-store';

const logger = new Logger('Deliveries');

// SQL because one statement ends, locks or reads the rows of a whole batch of outcomes.
const END_DELIVERIES = statement(
  'messaging.end_deliveries',
  `delete from deliveries using json_to_recordset($1::json) as input(id uuid, leaf smallint, attempt integer)
   where deliveries.message_id = input.id and deliveries.leaf = input.leaf
     and deliveries.attempt = input.attempt and deliveries.attempt_open and ${byKey('input.id')}
   returning deliveries.message_id, deliveries.leaf`,
);

const LOCK_OPEN = statement(
  'messaging.lock_open_messages',
  `select message_id, lane, turn as generation, state from open_messages where message_id = any($1::uuid[]) order by message_id for update`,
);

/**
 * No step deletes the open state of an unfinished message. Where it is missing all the same, a state with the ended leaves replaces it: the
 * outcomes are recorded, no further route is used. Without it every lease would repeat the provider's call forever.
 */
const REOPEN = statement(
  'messaging.reopen_messages',
  `insert into open_messages (message_id, workspace_id, lane, stage, turn, state)
   select input.id, input.workspace_id, $2, 'routed', 0, json_build_object('records', coalesce(messages.providers, '[]'))
   from json_to_recordset($1::json) as input(workspace_id uuid, id uuid)
   join messages on messages.workspace_id = input.workspace_id and messages.id = input.id
   where ${byKey('input.id')}
   order by input.id
   on conflict do nothing
   returning message_id, lane, turn as generation, state`,
);

const STATUSES = statement(
  'messaging.statuses',
  `select id, status from messages where id = any($1::uuid[]) and workspace_id = any($2::uuid[])`,
);

interface OpenRow {
  message_id: string;
  lane: number;
  generation: number;
  state: Omit<OpenState, 'stage' | 'lane' | 'dueMs'>;
}

/**
 * Ends deliveries of messages with further steps and stores the next step: another route becomes due, the message waits for its other
 * deliveries, or it ends. One transaction, under the message's lock. An outcome whose lease was lost changes nothing.
 * Resolves with whether a route became due, and the changes of the messages.
 */
export function advanceMessages(
  database: Database,
  outcomes: readonly FinalOutcome[],
  nowMs: number,
): Promise<{ isRouteDue: boolean; changes: StatusChange[] }> {
  return database.transaction(async (tx) => {
    const ended = await tx.query<{ message_id: string; leaf: number }>(END_DELIVERIES, [JSON.stringify(outcomes)]);
    const endedKeys = new Set(ended.map(({ message_id, leaf }) => `${message_id}/${leaf}`));
    const valid = outcomes.filter(({ id, leaf }) => endedKeys.has(`${id}/${leaf}`));
    if (valid.length === 0) return { isRouteDue: false, changes: [] };
    const ids = [...new Set(valid.map(({ id }) => id))];
    const rows = await tx.query<OpenRow>(LOCK_OPEN, [ids]);
    const lost = rows.length < ids.length ? await reopen(tx, valid) : [];
    const workspaces = valid.map(({ workspace_id }) => workspace_id);
    const statuses = await tx.query<{ id: string; status: MessageStatus }>(STATUSES, [ids, workspaces]);
    const statusOf = new Map(statuses.map(({ id, status }) => [id, status]));
    const steps = [...rows, ...lost].map((row) => {
      const ends = valid.filter(({ id }) => id === row.message_id).sort((one, other) => one.at - other.at || one.leaf - other.leaf);
      return advanceReadable(row, ends, statusOf.get(row.message_id) ?? 'ROUTED', nowMs);
    });
    await storeSteps(tx, steps, nowMs);
    const sinceOf = new Map(valid.map(({ id, since_ms }) => [id, since_ms]));
    const changes = steps.map(({ workspaceId, uuid, before, status: after, at: atMs }) => {
      return { workspaceId, before, after, atMs, sinceMs: sinceOf.get(uuid) ?? atMs };
    });
    return { isRouteDue: steps.some(({ open: state }) => state?.dueMs !== undefined), changes };
  });
}

/** Creates open states for messages without one, from their records. A message that does not exist gets none. */
async function reopen(tx: Queryable, ends: readonly FinalOutcome[]) {
  const keys = ends.map(({ workspace_id, id }) => ({ workspace_id, id }));
  const lost = await tx.query<OpenRow>(REOPEN, [JSON.stringify(keys), laneNumber('normal')]);
  const messageIds = lost.map(({ message_id }) => message_id);
  logger.error({ messageIds }, 'Open state of a message is missing; ending the message with the outcomes of its deliveries');
  return lost;
}

/** As `advance`. An unreadable state is treated as empty: a retry could not read it either. */
function advanceReadable(row: OpenRow, ends: readonly FinalOutcome[], before: MessageStatus, nowMs: number) {
  try {
    return advance(row, ends, before, nowMs);
  } catch (error) {
    logger.error(
      { err: error, messageId: row.message_id },
      'Open state of a message cannot be read; ending the message with the outcomes of its deliveries',
    );
    return advance({ ...row, state: {} }, ends, before, nowMs);
  }
}

/** The next step of a message after some of its leaves ended; `ends` in the order of their times. Pure. */
function advance(
  { message_id, lane, generation, state }: OpenRow,
  ends: readonly FinalOutcome[],
  before: MessageStatus,
  nowMs: number,
): MessageStep {
  const records = [...(state.records ?? []), ...ends.map(({ record }) => record)];
  const tree = ends.reduce(
    (current, { leaf, record, at }) =>
      current && (record.status === 'UNDELIVERABLE' ? withState(current, leaf, 'failed') : withSent(current, leaf, at)),
    state.tree,
  );
  const isOpen = tree !== undefined && isInProgress(tree);
  const derived = deriveStatus(before, records, isOpen);
  const escalation = unmet(state.escalation, derived.status);
  // Undefined: the next step starts with an event, not at a time.
  const dueMs = tree && (leavesToStart(tree).length > 0 ? nowMs : escalationDue(tree, escalation));
  return {
    workspaceId: ends[0]!.workspace_id,
    uuid: message_id,
    generation,
    before,
    ...derived,
    providers: records,
    at: Math.max(...ends.map(({ at }) => at)),
    // Events of several leaves are sorted by time; the events of each leaf keep their order.
    events: ends.flatMap(({ events }) => events).sort((one, other) => one.ts - other.ts),
    deliveries: [],
    open: isOpen || dueMs !== undefined ? { ...state, stage: 'routed', lane: laneOf(lane), tree, records, escalation, dueMs } : null,
  };
}
