import { hash, randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Actor, AuditEventType, ChangedFields } from '@tidings/contracts/core/audit';
import { type CallContext, SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import type { AuditEvent, AuditRecord } from '@tidings/contracts/identity/audit-events';
import { statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { AuditEventEntity } from './audit-event.entity';

/** The start of a process. */
export const SYSTEM: Actor = { type: 'system', id: 'system' };
/** An operator whose gateway is of a version that does not name them. */
const UNNAMED: Actor = { type: 'operator', id: 'operator' };

/** Who makes the call: an operator, or an API key with the scope for it. */
export const operatorOf = ({ actor }: CallContext): Actor => actor ?? UNNAMED;

/** With the name and the last characters of an API key. */
export type ShownActor = Actor & Pick<AuditEvent['actor'], 'name' | 'hint'>;

interface NewAuditEvent {
  workspaceId: string;
  type: AuditEventType;
  actor: ShownActor;
  target: { id: string; email?: string };
  /** The pattern of the operation. */
  operation: string;
  changes: Partial<ChangedFields>;
}

// SQL because it inserts what it selects.
/** Operators create workspaces one by one, so there are few: one statement covers all of them. */
const ADD_TO_ALL = statement(
  'audit-events-add-to-all',
  `insert into audit_events (workspace_id, audit_event_id, at, type, actor_id, actor, target_id, operation, before, after)
   select id, $1::uuid, coalesce($2::timestamptz, clock_timestamp()), $3, $4, $5, $6, $7, '{}', '{}' from workspaces
   on conflict do nothing`,
);
// SQL because the events of a call may come twice, over the log.
const ADD = statement(
  'audit-events-add',
  `insert into audit_events (workspace_id, audit_event_id, at, type, actor_id, actor, target_id, operation, before, after)
   select workspace_id, record.id, at, type, actor ->> 'id', actor || coalesce(of_key.shown, '{}'), "targetId", operation, before, after
     from jsonb_to_recordset($1::jsonb) as record (workspace_id uuid, id uuid, at timestamptz, type text, actor jsonb,
                                                  "targetId" text, operation text, before text[], after text[])
     left join lateral (
       select jsonb_strip_nulls(jsonb_build_object('name', key.name, 'hint', key.hint)) as shown from api_keys key
        where key.id = case when actor ->> 'type' in ('api-key', 'token') then (actor ->> 'id')::uuid end
          and key.workspace_id = record.workspace_id
     ) of_key on true
   on conflict do nothing`,
);
// SQL because it writes a part of a JSON column.
const FORGET_TARGET = statement(
  'audit-events-forget-target',
  `update audit_events set target_id = $3 where workspace_id = $1 and type like 'user:%' and target_id = $2`,
);
const FORGET_ACTOR = statement(
  'audit-events-forget-actor',
  `update audit_events set actor = jsonb_set(actor, '{users}', (actor -> 'users') - $2 || to_jsonb($3::text))
    where workspace_id = $1 and actor ? 'users' and actor -> 'users' ? $2`,
);

/** Records in every workspace that an operator changed the whole installation. Call it in the transaction of the change. */
export async function addAuditEventToAll(
  tx: EntityManager,
  { type, actor, target, operation }: Omit<NewAuditEvent, 'workspaceId' | 'changes'>,
) {
  await addToAll(transactionOf(tx), { id: randomUUID(), type, actor, targetId: target.id, operation });
}

/** Without `at` the time is the database's. A record that is stored already changes nothing. */
async function addToAll(
  tx: Pick<Transaction, 'execute'>,
  { id, at, type, actor, targetId, operation }: Omit<AuditRecord, 'workspaceId' | 'at' | 'before' | 'after'> & { at?: string },
) {
  await tx.execute(ADD_TO_ALL, [id, at ?? null, type, actor.id, actor, targetId, operation]);
}

/**
 * Records an event in the transaction of the change: both are committed, or neither. `clock_timestamp()`, not `now()`: the events of
 * one transaction are listed in their order.
 */
export async function addAuditEvent(tx: EntityManager, { workspaceId, type, actor, target, operation, changes }: NewAuditEvent) {
  const { id: targetId, email: targetEmail } = target;
  const { before = [], after = [] } = changes;
  const at = () => 'clock_timestamp()';
  const row = { workspaceId, id: randomUUID(), at, type, actorId: actor.id, actor, targetId, targetEmail, operation, before, after };
  await tx.insert(AuditEventEntity, row);
}

/**
 * Stores records of this service or another one, with the names and ends of the actors' keys; a record that is stored already changes
 * nothing. One of no workspace is stored in every workspace.
 */
export async function storeAuditRecords(tx: Pick<Transaction, 'execute'>, records: readonly AuditRecord[]) {
  for (const record of records.filter(isOfAll)) await addToAll(tx, record);
  const rows = records
    .filter((record) => !isOfAll(record))
    .map((record) => {
      const { workspaceId, type, targetId } = record;
      const id = type === 'user:erased' ? erasedId(workspaceId, targetId!) : targetId;
      return { ...record, workspace_id: workspaceId, targetId: id };
    });
  if (rows.length > 0) await tx.execute(ADD, [JSON.stringify(rows)]);
}

const isOfAll = ({ workspaceId }: AuditRecord) => workspaceId === SYSTEM_WORKSPACE_ID;

/** Replaces the id of an erased user in events about the user's data, and in those of tokens that name the user; whether one named it. */
export async function forgetUserInAuditEvents(tx: EntityManager, workspaceId: string, userId: string) {
  const values = [workspaceId, userId, erasedId(workspaceId, userId)];
  let changed = 0;
  for (const forget of [FORGET_TARGET, FORGET_ACTOR]) changed += await transactionOf(tx).execute(forget, values);
  return changed > 0;
}

/** Names an erased user to those who know the id. */
function erasedId(workspaceId: string, userId: string) {
  return `erased:${hash('sha256', `${workspaceId}:${userId}`)}`;
}
