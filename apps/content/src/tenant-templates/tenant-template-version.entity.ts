import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ElementalContent } from '@tidings/contracts/content/elemental';
import type { ChannelSettings, MessageRouting, ProviderSettings } from '@tidings/contracts/content/routing';
import { CreatedRow, Nullable, TextKey } from '../rows';

/**
 * A version of a tenant's template; it never changes. Its objects are `json`, not `jsonb`: clients get the keys in the order in
 * which they put them.
 */
@Entity('tenant_template_versions')
export class TenantTemplateVersionEntity extends CreatedRow {
  @TextKey()
  tenantId: string;

  @TextKey()
  templateId: string;

  @PrimaryColumn('integer')
  version: number;

  @Column('json')
  content: ElementalContent;

  @Nullable('json')
  routing: MessageRouting | null;

  @Nullable('json')
  channels: Record<string, ChannelSettings> | null;

  @Nullable('json')
  providers: Record<string, ProviderSettings> | null;

  /** What the objects take in a response. */
  @Column('integer')
  bytes: number;
}
