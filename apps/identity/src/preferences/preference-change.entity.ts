import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { PreferenceStatus } from '@tidings/contracts/core/preferences';
import type { PreferenceLog, ChangeSource, PreviousChoice } from '@tidings/contracts/identity/preference-logs';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { Nullable, TextArray, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A change of a user's choice for a topic. */
@Entity('preference_changes')
export class PreferenceChangeEntity extends WorkspaceRow {
  @PrimaryColumn('uuid', { name: 'change_id' })
  id: string;

  @Column('timestamptz')
  at: Date;

  @Column({ type: 'text', collation: 'C' })
  userId: string;

  /** Empty for a choice that counts everywhere. */
  @Column({ type: 'text', collation: 'C' })
  tenantId: string;

  @Column({ type: 'text', collation: 'C' })
  topicId: string;

  @Column('text')
  topicName: string;

  @Column('text')
  source: ChangeSource;

  @Nullable('uuid')
  messageId: string | null;

  @Column('text')
  status: PreferenceStatus;

  @Column('boolean')
  hasCustomRouting: boolean;

  @TextArray()
  customRouting: ChannelClass[];

  @Nullable('jsonb')
  previous: PreviousChoice | null;
}

export function toPreferenceLog(row: PreferenceChangeEntity): PreferenceLog {
  return {
    id: row.id,
    user_id: row.userId,
    topic_id: row.topicId,
    topic_name: row.topicName,
    status: row.status,
    has_custom_routing: row.hasCustomRouting,
    custom_routing: row.customRouting,
    timestamp: row.at.toISOString(),
    previous: row.previous ?? undefined,
    tenant_id: row.tenantId || undefined,
    source: row.source,
    message_id: row.messageId === null ? undefined : uuidToMessageId(row.messageId),
  };
}
