import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditEventType } from '@tidings/contracts/identity/audit-events';
import { statement, transactionOf } from '@tidings/persistence/database';
import { AuditEventEntity } from './audit-event.entity';

/** Actors of events: the operators' interface (operators share one credential), or the start of a process. */
export const OPERATOR = 'operator';
export const SYSTEM = 'system';
export type Actor = typeof OPERATOR | typeof SYSTEM;

interface NewAuditEvent {
  workspaceId: string;
  type: AuditEventType;
  actor: Actor;
  target: { id: string; email?: string };
}

// SQL because it inserts what it selects.
/** Operators create workspaces one by one, so there are few: one statement covers all of them. */
const ADD_TO_ALL = statement(
  'audit-events-add-to-all',
  `insert into audit_events (workspace_id, audit_event_id, at, type, actor_id, target_id)
   select id, gen_random_uuid(), clock_timestamp(), $1, $2, $3 from workspaces`,
);

/** Records in every workspace that an operator changed the whole installation. Call it in the transaction of the change. */
export async function addAuditEventToAll(tx: EntityManager, type: AuditEventType, targetId: string) {
  await transactionOf(tx).execute(ADD_TO_ALL, [type, OPERATOR, targetId]);
}

/**
 * Records an event in the transaction of the change: both are committed, or neither. `clock_timestamp()`, not `now()`: the events of
 * one transaction are listed in their order.
 */
export async function addAuditEvent(tx: EntityManager, { workspaceId, type, actor: actorId, target }: NewAuditEvent) {
  const { id: targetId, email: targetEmail } = target;
  const at = () => 'clock_timestamp()';
  await tx.insert(AuditEventEntity, { workspaceId, id: randomUUID(), at, type, actorId, targetId, targetEmail });
}
