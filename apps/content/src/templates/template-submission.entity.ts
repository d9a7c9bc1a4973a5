import { TextKey, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Check } from '@tidings/contracts/content/notification-checks';

/** A submission of a template with the checks that await it. Those of archived templates stay. */
@Entity('notification_submissions')
export class TemplateSubmissionEntity extends WorkspaceRow {
  @TextKey()
  templateId: string;

  @PrimaryColumn('bigint')
  submissionId: string;

  @Column('json')
  checks: Check[];
}
