import { randomUUID } from 'node:crypto';
import type { AuditEventType } from '@tidings/contracts/identity/audit-events';
import { statement, type Transaction } from '@tidings/persistence/database';

/** Actors of events: the operators' interface (operators share one credential), or the start of a process. */
export const OPERATOR = 'operator';
export const SYSTEM = 'system';
type Actor = typeof OPERATOR | typeof SYSTEM;

interface NewAuditEvent {
  workspaceId: string;
  type: AuditEventType;
  actor: Actor;
  target: { id: string; email?: string };
}

/** `clock_timestamp()`, not `now()`: the events of one transaction are listed in their order. */
const ADD = statement(
  'audit-events-add',
  `insert into audit_events (workspace_id, audit_event_id, at, type, actor_id, target_id, target_email)
   values ($1, $2, clock_timestamp(), $3, $4, $5, $6)`,
);

/** Operators create workspaces one by one, so there are few: one statement covers all of them. */
const ADD_TO_ALL = statement(
  'audit-events-add-to-all',
  `insert into audit_events (workspace_id, audit_event_id, at, type, actor_id, target_id)
   select id, gen_random_uuid(), clock_timestamp(), $1, $2, $3 from workspaces`,
);

/** Records an event in every workspace, for a change of the whole installation. Call it in the transaction of the change. */
export async function addAuditEventToAll(tx: Transaction, { type, actor, target }: Omit<NewAuditEvent, 'workspaceId'>): Promise<void> {
  await tx.execute(ADD_TO_ALL, [type, actor, target.id]);
}

/** Records an event in the transaction of the change: both are committed, or neither. */
export async function addAuditEvent(tx: Transaction, { workspaceId, type, actor, target }: NewAuditEvent): Promise<void> {
  await tx.execute(ADD, [workspaceId, randomUUID(), type, actor, target.id, target.email ?? null]);
}
