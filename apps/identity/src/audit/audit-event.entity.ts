import { Nullable, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AuditEventType } from '@tidings/contracts/core/audit';
import type { AuditEvent } from '@tidings/contracts/identity/audit-events';

@Entity('audit_events')
export class AuditEventEntity extends WorkspaceRow {
  @PrimaryColumn('uuid', { name: 'audit_event_id' })
  id: string;

  @Column('timestamptz')
  at: Date;

  @Column('text')
  type: AuditEventType;

  @Column('text')
  actorId: string;

  @Nullable('text')
  actorEmail: string | null;

  @Nullable('text')
  targetId: string | null;

  @Nullable('text')
  targetEmail: string | null;

  /** Null in rows of earlier versions, like what follows. */
  @Nullable('jsonb')
  actor: AuditEvent['actor'] | null;

  @Nullable('text')
  operation: string | null;

  @Column('text', { array: true, nullable: true })
  before: string[] | null;

  @Column('text', { array: true, nullable: true })
  after: string[] | null;
}

export function toAuditEvent(row: AuditEventEntity): AuditEvent {
  const { id, at, type, actor, actorId, actorEmail, targetId, targetEmail, operation, before, after } = row;
  return {
    auditEventId: id,
    source: 'tidings',
    timestamp: at.toISOString(),
    type,
    actor: { ...actor, id: actorId, email: actorEmail ?? undefined },
    target: { id: targetId ?? undefined, email: targetEmail ?? undefined },
    operation: operation ?? undefined,
    changes: before && after ? { before, after } : undefined,
  };
}
