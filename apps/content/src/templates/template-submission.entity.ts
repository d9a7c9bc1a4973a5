import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Check } from '@tidings/contracts/content/notification-checks';

/** A submission of a template with the checks that await it. Those of archived templates stay. */
@Entity('notification_submissions')
export class TemplateSubmissionEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'template_id', collation: 'C' })
  templateId!: string;

  @PrimaryColumn('bigint', { name: 'submission_id' })
  submissionId!: string;

  @Column('json')
  checks!: Check[];
}
