import { TextArray, TextKey, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity } from 'typeorm';
import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { PreferenceStatus } from '@tidings/contracts/core/preferences';

/** The default of a tenant for a topic. It counts while the topic exists. */
@Entity('tenant_default_preferences')
export class TenantDefaultEntity extends WorkspaceRow {
  @TextKey()
  tenantId: string;

  @TextKey()
  topicId: string;

  @Column('text')
  status: PreferenceStatus;

  @Column('boolean')
  hasCustomRouting: boolean;

  @TextArray()
  customRouting: ChannelClass[];
}
