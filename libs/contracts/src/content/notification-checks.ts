import { ArrayUnique, IsIn, Matches } from 'class-validator';
import { Int, IsListOf, Text, TextOf } from '../core/fields';
import { FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { NamedTemplate } from './template-fields';

const CHECK_STATUSES = ['RESOLVED', 'FAILED', 'PENDING'] as const;

/** The result of a client's own check of a submission. */
@FieldsOfAnswer(() => Check)
export class BaseCheck {
  /** Id of the check, chosen by you; each once in a submission. @example "spelling" */
  @TextOf(1, 256) id: string;

  /** Its result: `PENDING` until there is one. @example "RESOLVED" */
  @IsIn(CHECK_STATUSES) status: (typeof CHECK_STATUSES)[number];

  /** Always `custom`. */
  @IsIn(['custom']) type: 'custom';
}

export class Check extends BaseCheck {
  /** When the status last changed, ms since the epoch. @example 1772359200000 */
  @Int updated: number;
}

export class NamedSubmission extends NamedTemplate {
  /** The submission: when it was submitted, ms since the epoch. @example "1772359200000" */
  @Text
  @Matches(/^\d{1,15}$/, { message: '$property must be the time of the submission, in ms since 1970' })
  submissionId: string;
}

export class PutChecks extends NamedSubmission {
  /** The checks of the submission, each id once. @example [{ "id": "spelling", "status": "PENDING", "type": "custom" }] */
  @IsListOf(BaseCheck, 100)
  @ArrayUnique(({ id }: BaseCheck) => id)
  checks: BaseCheck[];
}

class Checks {
  /** The checks of the submission, as last put. */
  @IsListOf(Check) checks: Check[];
}

export const notificationChecks = defineOperations('content.notification-checks', 'notifications', {
  /** Answers 404 if there is no such submission. */
  list: {
    route: 'GET /notifications/:id/:submissionId/checks',
    summary: 'List the checks of a submission',
    request: NamedSubmission,
    response: Checks,
  },
  /**
   * Checks are your own, and do not block a publication. The first ones submit the template.
   * @example { "checks": [{ "id": "spelling", "status": "PENDING", "type": "custom" }] }
   */
  replace: {
    audit: 'notification:checks-changed',
    command: true,
    route: 'PUT /notifications/:id/:submissionId/checks',
    summary: 'Replace the checks of a submission; the first ones open it',
    request: PutChecks,
    response: Checks,
  },
  /** Removes the submission with its checks. Answers 404 if there is none. */
  cancel: {
    audit: 'notification:checks-changed',
    command: true,
    route: 'DELETE /notifications/:id/:submissionId/checks',
    summary: 'Cancel a submission',
    request: NamedSubmission,
  },
});
