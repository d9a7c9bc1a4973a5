import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { AuditEvent, AuditEventType } from '@tidings/contracts/identity/audit-events';
import { exactInstant } from '@tidings/persistence/exact-instant';

const SOURCE = 'tidings';

@Entity('audit_events')
export class AuditEventEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('uuid', { name: 'audit_event_id' })
  id!: string;

  @Column('timestamptz')
  at!: Date;

  @Column('text')
  type!: AuditEventType;

  @Column('text', { name: 'actor_id' })
  actorId!: string;

  @Column('text', { name: 'actor_email', nullable: true })
  actorEmail!: string | null;

  @Column('text', { name: 'target_id', nullable: true })
  targetId!: string | null;

  @Column('text', { name: 'target_email', nullable: true })
  targetEmail!: string | null;

  @VirtualColumn({ type: 'text', select: false, query: (event) => exactInstant(`${event}.at`) })
  readonly exactAt?: string;
}

export function toAuditEvent({ id, at, type, actorId, actorEmail, targetId, targetEmail }: AuditEventEntity): AuditEvent {
  return {
    auditEventId: id,
    source: SOURCE,
    timestamp: at.toISOString(),
    type,
    actor: { id: actorId, ...(actorEmail !== null && { email: actorEmail }) },
    target: { ...(targetId !== null && { id: targetId }), ...(targetEmail !== null && { email: targetEmail }) },
  };
}
