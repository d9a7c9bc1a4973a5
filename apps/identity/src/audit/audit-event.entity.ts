import { Nullable, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AuditEvent, AuditEventType } from '@tidings/contracts/identity/audit-events';

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
}

export function toAuditEvent({ id, at, type, actorId, actorEmail, targetId, targetEmail }: AuditEventEntity): AuditEvent {
  return {
    auditEventId: id,
    source: 'tidings',
    timestamp: at.toISOString(),
    type,
    actor: { id: actorId, email: actorEmail ?? undefined },
    target: { id: targetId ?? undefined, email: targetEmail ?? undefined },
  };
}
