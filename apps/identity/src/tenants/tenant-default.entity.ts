import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { PreferenceStatus } from '@tidings/contracts/core/preferences';

/** The default of a tenant for a topic. It counts while the topic exists. */
@Entity('tenant_default_preferences')
export class TenantDefaultEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'tenant_id', collation: 'C' })
  tenantId!: string;

  @PrimaryColumn('text', { name: 'topic_id', collation: 'C' })
  topicId!: string;

  @Column('text')
  status!: PreferenceStatus;

  @Column('boolean', { name: 'has_custom_routing' })
  hasCustomRouting!: boolean;

  @Column('text', { name: 'custom_routing', array: true })
  customRouting!: ChannelClass[];
}
