import { TextKey, WorkspaceRow } from '@tidings/persistence/rows';
import { Entity, PrimaryColumn } from 'typeorm';

/** A tag of the version that listings show of a template, in the order of listings. */
@Entity('notification_tags')
export class TemplateTagEntity extends WorkspaceRow {
  @TextKey()
  tag: string;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  createdAt: Date;

  @TextKey()
  templateId: string;
}

/** A routing strategy that the draft or the published version of a template is linked with, in the order of listings. */
@Entity('notification_strategies')
export class TemplateStrategyEntity extends WorkspaceRow {
  @TextKey()
  strategyId: string;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  createdAt: Date;

  @TextKey()
  templateId: string;
}
