import { randomUUID } from 'node:crypto';
import type { Actor, ChangedFields } from '@tidings/contracts/core/audit';
import { type CallContext, SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { type AuditRecord, auditRecorded } from '@tidings/contracts/identity/audit-events';
import { AUDIT_SETTING } from './audit.migrations';
import type { Outbox } from './outbox';
import { statement } from './statement';
import type { Transaction } from './transaction';

// SQL because triggers of the changed tables collect the names in a setting of the transaction.
const BEGIN = statement('audit-begin', `select set_config('${AUDIT_SETTING}', '{}', true)`);
const END = statement(
  'audit-end',
  `select current_setting('${AUDIT_SETTING}') as changes, to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
);

/** After the work's own hooks, which may change rows; before the journal records the answer and events are published. */
const RECORD_HOOK_ORDER = 850;

/** Names as the triggers collect them, as keys. */
interface CollectedNames {
  before?: Readonly<Record<string, true>>;
  after?: Readonly<Record<string, true>>;
}

/** Stores a record, or publishes it for the service that stores it, in the transaction of the change. */
export type StoreAuditRecord = (tx: Transaction, record: AuditRecord) => Promise<void>;

/** What an operator did to the whole installation. */
export type InstallationEvent = Pick<AuditRecord, 'type' | 'operation' | 'targetId'>;

/** Records audited calls in the transaction of their change: both are committed, or neither. */
export class AuditTrail {
  constructor(private readonly store: StoreAuditRecord) {}

  /** Records an event in every workspace, with the transaction. */
  async addToAll(tx: Transaction, actor: Actor, event: InstallationEvent): Promise<void> {
    const at = new Date().toISOString();
    await this.store(tx, { workspaceId: SYSTEM_WORKSPACE_ID, id: randomUUID(), at, actor, before: [], after: [], ...event });
  }

  /** Call it before the transaction's first change, and what it resolves with once the answer of the call is known. */
  async begin({ workspaceId, actor, audit }: CallContext, tx: Transaction): Promise<(answer: unknown) => void> {
    const { type, operation, targetIdOf, changesOnly } = audit!;
    await tx.query(BEGIN);
    return (answer) =>
      tx.beforeCommit(async () => {
        const [end] = await tx.query<{ changes: string; at: string }>(END);
        const { at, changes } = end!;
        const names = namesOf(changes);
        if (changesOnly && names.before.length === 0 && names.after.length === 0) return;
        const targetId = targetIdOf(answer);
        await this.store(tx, { workspaceId, id: randomUUID(), at, type, operation, actor: actor!, targetId, ...names });
      }, RECORD_HOOK_ORDER);
  }
}

function namesOf(changes: string): ChangedFields {
  const { before = {}, after = {} } = JSON.parse(changes) as CollectedNames;
  return { before: Object.keys(before).sort(), after: Object.keys(after).sort() };
}

/** Publishes records for identity, which stores them. */
export function publishAuditRecord(outbox: Outbox): StoreAuditRecord {
  return async (tx, record) => void (await outbox.add(tx, auditRecorded, { id: record.id, payload: record }));
}
