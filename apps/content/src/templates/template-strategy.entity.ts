import { Entity, PrimaryColumn } from 'typeorm';

/** A routing strategy that the draft or the published version of a template is linked with, in the order of listings. */
@Entity('notification_strategies')
export class TemplateStrategyEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'strategy_id', collation: 'C' })
  strategyId!: string;

  @PrimaryColumn({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @PrimaryColumn('text', { name: 'template_id', collation: 'C' })
  templateId!: string;
}
