import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ElementalContent } from '@tidings/contracts/content/elemental';
import type { TemplateEmail } from '@tidings/contracts/content/template-fields';
import { CreatedRow, Nullable, TextKey } from '../rows';
import type { BlockContent } from './blocks';
import { elementalOfBlocks } from './elemental-of-blocks';
import type { StoredContent } from './elements';

/**
 * A version of a template: 0 is the draft, the others never change. Its objects are `json`, not `jsonb`: clients get the keys in
 * the order in which they put them.
 */
@Entity('notification_versions')
export class TemplateVersionEntity extends CreatedRow {
  @TextKey()
  templateId: string;

  @PrimaryColumn('integer')
  version: number;

  @Column('text')
  name: string;

  @Column('text', { array: true })
  tags: string[];

  @Nullable('text')
  brandId: string | null;

  @Nullable('text')
  topicId: string | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  strategyId: string | null;

  @Nullable('json')
  email: TemplateEmail | null;

  @Column('boolean', { default: false })
  throwOnMissingVariable: boolean;

  /** Elemental or blocks. */
  @Column('json')
  content: ElementalContent | BlockContent;

  /** Ids of the content's nodes in reading order; `null` for blocks. */
  @Column('text', { array: true, nullable: true })
  elementIds: string[] | null;

  /** What the fields take in a response. */
  @Column('integer')
  bytes: number;
}

/** A stored version. Its content is blocks where it has no ids, else Elemental. */
export type StoredVersion = TemplateVersionEntity & StoredContent;

/** The fields of a version that a template's draft hands on. */
export type VersionFields = Omit<TemplateVersionEntity, 'workspaceId' | 'templateId' | 'version' | 'bytes' | 'createdAt'>;

/** The content as Elemental: as it was put, or converted from blocks. */
export function elementalOf(stored: Pick<VersionFields, 'content' | 'elementIds'>): ElementalContent {
  const { content, elementIds } = stored as StoredContent;
  return elementIds === null ? elementalOfBlocks(content) : content;
}
