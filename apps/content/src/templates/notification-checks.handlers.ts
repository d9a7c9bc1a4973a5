import { InjectRepository } from '@nestjs/typeorm';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import { type NamedSubmission, notificationChecks, type PutChecks } from '@tidings/contracts/content/notification-checks';
import { type NotificationEventType, notificationHappened } from '@tidings/contracts/content/events';
import type { CallContext } from '@tidings/contracts/core/context';
import { transactionOf } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { OpenTemplate } from './template-store';
import { TemplateSubmissionEntity } from './template-submission.entity';
import { TemplateEntity } from './template.entity';
import { named } from './template-names';

/** A template has few submissions, as each awaits a person's review. */
const SUBMISSIONS_MAX = 1_000;

@Handles(notificationChecks)
export class NotificationChecksHandlers {
  constructor(
    @InjectRepository(TemplateSubmissionEntity) private readonly rows: Repository<TemplateSubmissionEntity>,
    private readonly outbox: Outbox,
  ) {}

  async list({ workspaceId }: CallContext, { id, submissionId }: NamedSubmission) {
    const template = await this.rows.manager.findOneBy(TemplateEntity, named(workspaceId, id));
    const row = template && (await this.rows.findOneBy({ workspaceId, templateId: template.id, submissionId }));
    if (!row) throw noSubmission(id, submissionId);
    return { checks: row.checks };
  }

  /** The first put of checks submits the template: the interface has no other operation for it. */
  async replace({ workspaceId }: CallContext, { id, submissionId, checks: given, ...rest }: PutChecks, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const { row } = await OpenTemplate.lock(tx, this.outbox, workspaceId, id);
    const key = { workspaceId, templateId: row.id, submissionId };
    const present = await tx.findOneBy(TemplateSubmissionEntity, key);
    if (!present) {
      if ((await tx.countBy(TemplateSubmissionEntity, { workspaceId, templateId: row.id })) >= SUBMISSIONS_MAX) {
        throw invalid(`Template ${id} has ${SUBMISSIONS_MAX} submissions, the most allowed: cancel finished ones first`);
      }
      await this.publishEvent(tx, key, 'notification:submitted');
    }
    const before = new Map(present?.checks.map((check) => [check.id, check]));
    const now = Date.now();
    const checks = given.map(({ id: checkId, status, type }) => {
      const same = before.get(checkId)?.status === status;
      return { id: checkId, status, type, updated: same ? before.get(checkId)!.updated : now };
    });
    await tx.upsert(TemplateSubmissionEntity, { ...key, checks }, ['workspaceId', 'templateId', 'submissionId']);
    return { checks };
  }

  async cancel({ workspaceId }: CallContext, { id, submissionId }: NamedSubmission, tx: EntityManager) {
    const { row } = await OpenTemplate.lock(tx, this.outbox, workspaceId, id);
    const key = { workspaceId, templateId: row.id, submissionId };
    const { affected } = await tx.delete(TemplateSubmissionEntity, key);
    if (!affected) throw noSubmission(id, submissionId);
    await this.publishEvent(tx, key, 'notification:submission_canceled');
  }

  private async publishEvent(
    tx: EntityManager,
    { workspaceId, templateId, submissionId }: Omit<TemplateSubmissionEntity, 'checks'>,
    type: NotificationEventType,
  ) {
    const payload = { workspaceId, notificationId: templateId, type, at: Date.now(), submissionId: Number(submissionId) };
    await this.outbox.add(transactionOf(tx), notificationHappened, { payload });
  }
}

const noSubmission = (id: string, submissionId: string) => notFound(`Template ${id} has no submission ${submissionId}`);
