import { Entity, PrimaryColumn } from 'typeorm';

/** A tag of the version that listings show of a template, in the order of listings. */
@Entity('notification_tags')
export class TemplateTagEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  tag!: string;

  @PrimaryColumn({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @PrimaryColumn('text', { name: 'template_id', collation: 'C' })
  templateId!: string;
}
