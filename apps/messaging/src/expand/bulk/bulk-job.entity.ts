import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { BulkJob, BulkJobStatus, BulkMessage } from '@tidings/contracts/messaging/bulk';
import type { KeyLimits } from '@tidings/contracts/messaging/key-limits';
import { HIDDEN } from '@tidings/contracts/core/secret-values';
import { changeSecretsOfBulk } from '@tidings/contracts/messaging/override-secrets';

/** A bulk job. Its users are rows of `bulk_users`, which only statements read and write. */
@Entity('bulk_jobs')
export class BulkJobEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  /** The job id in the store. */
  @PrimaryColumn('uuid', { name: 'job_id' })
  uuid!: string;

  /** As created, the secrets of its overrides sealed. */
  @Column('json')
  message!: BulkMessage;

  /** Those of the API key that created the job: they apply to its users too, whichever key adds them. */
  @Column('json', { nullable: true })
  limits!: KeyLimits | null;

  @Column('text', { default: 'CREATED' })
  status!: BulkJobStatus;

  @Column('integer', { default: 0 })
  received!: number;

  @Column('integer', { default: 0 })
  enqueued!: number;

  @Column('integer', { default: 0 })
  failures!: number;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'run_at', precision: 3, nullable: true })
  runAt!: Date | null;
}

/** Key of a job in the tables. */
export type JobKey = Readonly<Pick<BulkJobEntity, 'workspaceId' | 'uuid'>>;

/** The secrets of its message are hidden. */
export function toBulkJob({ message, enqueued, failures, received, status }: BulkJobEntity): BulkJob {
  return { definition: changeSecretsOfBulk(message, () => HIDDEN), enqueued, failures, received, status };
}
