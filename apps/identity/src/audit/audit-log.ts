import { randomUUID } from 'node:crypto';
import type { AuditEventType } from '@tidings/contracts/identity/audit-events';
import { statement, type Transaction } from '@tidings/persistence/database';

/** Who did something: the operators' interface (whose credential they share), or the start of a process. */
export const OPERATOR = 'operator';
export const SYSTEM = 'system';
type Actor = typeof OPERATOR | typeof SYSTEM;

interface NewAuditEvent {
  workspaceId: string;
  type: AuditEventType;
  actor: Actor;
  target: { id: string; email?: string };
}

/** The time is the row's own, not the transaction's: what one transaction does stands in its order. */
const ADD = statement(
  'audit-events-add',
  `insert into audit_events (workspace_id, audit_event_id, at, type, actor_id, target_id, target_email)
   values ($1, $2, clock_timestamp(), $3, $4, $5, $6)`,
);

/** Workspaces are made one by one by operators: there are few, and one statement tells them all. */
const ADD_TO_ALL = statement(
  'audit-events-add-to-all',
  `insert into audit_events (workspace_id, audit_event_id, at, type, actor_id, target_id)
   select id, gen_random_uuid(), clock_timestamp(), $1, $2, $3 from workspaces`,
);

/** Tells every workspace of a change that concerns the whole installation, in the transaction that makes it. */
export async function addAuditEventToAll(tx: Transaction, { type, actor, target }: Omit<NewAuditEvent, 'workspaceId'>): Promise<void> {
  await tx.execute(ADD_TO_ALL, [type, actor, target.id]);
}

/** Tells of a change in the transaction that makes it: neither is there without the other. */
export async function addAuditEvent(tx: Transaction, { workspaceId, type, actor, target }: NewAuditEvent): Promise<void> {
  await tx.execute(ADD, [workspaceId, randomUUID(), type, actor, target.id, target.email ?? null]);
}
