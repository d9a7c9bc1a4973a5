import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ElementalContent } from '@tidings/contracts/content/elemental';
import type { ChannelSettings, MessageRouting, ProviderSettings } from '@tidings/contracts/content/routing';
import { CreatedRow } from '../rows';

/**
 * A version of a tenant's template; it never changes. Its objects are `json`, not `jsonb`: clients get the keys in the order in
 * which they put them.
 */
@Entity('tenant_template_versions')
export class TenantTemplateVersionEntity extends CreatedRow {
  @PrimaryColumn('text', { collation: 'C' })
  tenantId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  templateId!: string;

  @PrimaryColumn('integer')
  version!: number;

  @Column('json')
  content!: ElementalContent;

  @Column('json', { nullable: true })
  routing!: MessageRouting | null;

  @Column('json', { nullable: true })
  channels!: Record<string, ChannelSettings> | null;

  @Column('json', { nullable: true })
  providers!: Record<string, ProviderSettings> | null;

  /** What the objects take in a response. */
  @Column('integer')
  bytes!: number;
}
