import { ArrayUnique, IsIn, Matches } from 'class-validator';
import { Int, IsListOf, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { NamedTemplate } from './template-fields';

const CHECK_STATUSES = ['RESOLVED', 'FAILED', 'PENDING'] as const;

/** The result of a client's own check of a submission. */
export class BaseCheck {
  @TextOf(1, 256) id: string;

  @IsIn(CHECK_STATUSES) status: (typeof CHECK_STATUSES)[number];

  @IsIn(['custom']) type: 'custom';
}

export class Check extends BaseCheck {
  /** When the status last changed, ms since the epoch. */
  @Int updated: number;
}

export class NamedSubmission extends NamedTemplate {
  /** When it was submitted, ms since the epoch. */
  @Text
  @Matches(/^\d{1,15}$/, { message: '$property must be the time of the submission, in ms since 1970' })
  submissionId: string;
}

export class PutChecks extends NamedSubmission {
  @IsListOf(BaseCheck, 100)
  @ArrayUnique(({ id }: BaseCheck) => id)
  checks: BaseCheck[];
}

class Checks {
  @IsListOf(Check) checks: Check[];
}

export const notificationChecks = defineOperations('content.notification-checks', 'notifications', {
  list: {
    route: 'GET /notifications/:id/:submissionId/checks',
    summary: 'List the checks of a submission',
    request: NamedSubmission,
    response: Checks,
  },
  replace: {
    command: true,
    route: 'PUT /notifications/:id/:submissionId/checks',
    summary: 'Replace the checks of a submission; the first ones open it',
    request: PutChecks,
    response: Checks,
  },
  cancel: {
    command: true,
    route: 'DELETE /notifications/:id/:submissionId/checks',
    summary: 'Cancel a submission',
    request: NamedSubmission,
  },
});
