import {
  type Check,
  type Checks,
  type NamedSubmission,
  notificationChecks,
  type PutChecks,
} from '@tidings/contracts/content/notification-checks';
import { type NotificationEventType, notificationHappened } from '@tidings/contracts/content/notification-events';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, statement, type Transaction } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { OpenTemplate } from './template-store';

const RETRIEVE = statement(
  'template-submissions-retrieve',
  `select checks from notification_submissions submission
    where workspace_id = $1 and template_id = $2 and submission_id = $3
      and exists (select from notification_templates template
                   where template.workspace_id = submission.workspace_id and template.template_id = submission.template_id
                     and archived_at is null)`,
);
const PUT = statement(
  'template-submissions-put',
  `insert into notification_submissions (workspace_id, template_id, submission_id, checks) values ($1, $2, $3, $4)
   on conflict (workspace_id, template_id, submission_id) do update set checks = excluded.checks`,
);
const REMOVE = statement(
  'template-submissions-remove',
  'delete from notification_submissions where workspace_id = $1 and template_id = $2 and submission_id = $3',
);
/** A template has few submissions, as each awaits a person's review. */
const OTHERS = statement(
  'template-submissions-others',
  'select submission_id from notification_submissions where workspace_id = $1 and template_id = $2 limit $3',
);
const SUBMISSIONS_MAX = 1_000;

@Handles(notificationChecks)
export class NotificationChecksHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
    private readonly outbox: Outbox,
  ) {}

  async list({ workspaceId }: CallContext, { id, submissionId, ...rest }: NamedSubmission): Promise<Checks> {
    rest satisfies Record<string, never>;
    const [row] = await this.db.query<Checks>(RETRIEVE, [workspaceId, id, submissionId]);
    if (!row) throw noSubmission(id, submissionId);
    return { checks: row.checks };
  }

  /** The first put of checks submits the template: the interface has no other operation for it. */
  async replace(context: CallContext, { id, submissionId, checks, ...rest }: PutChecks): Promise<Checks> {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    const key = [workspaceId, id, submissionId];
    return this.calls.once(context, async (tx) => {
      await OpenTemplate.lock(tx, this.outbox, workspaceId, id);
      const [present] = await tx.query<Checks>(RETRIEVE, key);
      if (!present) await this.open(tx, workspaceId, id, submissionId);
      const before = new Map(present?.checks.map((check) => [check.id, check]));
      const now = Date.now();
      const after = checks.map(({ id: checkId, status, type }): Check => {
        const same = before.get(checkId)?.status === status;
        return { id: checkId, status, type, updated: same ? before.get(checkId)!.updated : now };
      });
      await tx.execute(PUT, [...key, JSON.stringify(after)]);
      return { checks: after };
    });
  }

  async cancel(context: CallContext, { id, submissionId, ...rest }: NamedSubmission): Promise<void> {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      await OpenTemplate.lock(tx, this.outbox, workspaceId, id);
      if ((await tx.execute(REMOVE, [workspaceId, id, submissionId])) === 0) throw noSubmission(id, submissionId);
      await this.publishEvent(tx, workspaceId, id, submissionId, 'notification:submission_canceled');
    });
  }

  private async open(tx: Transaction, workspaceId: string, id: string, submissionId: string): Promise<void> {
    const others = await tx.query(OTHERS, [workspaceId, id, SUBMISSIONS_MAX]);
    if (others.length === SUBMISSIONS_MAX) {
      throw new ServiceError(
        'invalid_request',
        `Template ${id} has ${SUBMISSIONS_MAX} submissions, the most allowed: cancel finished ones first`,
      );
    }
    await this.publishEvent(tx, workspaceId, id, submissionId, 'notification:submitted');
  }

  private async publishEvent(
    tx: Transaction,
    workspaceId: string,
    id: string,
    submissionId: string,
    type: NotificationEventType,
  ): Promise<void> {
    const payload = { workspaceId, notificationId: id, type, at: Date.now(), submissionId: Number(submissionId) };
    await this.outbox.add(tx, notificationHappened, { payload });
  }
}

function noSubmission(id: string, submissionId: string): ServiceError {
  return new ServiceError('not_found', `Template ${id} has no submission ${submissionId}`);
}
