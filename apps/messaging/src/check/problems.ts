/** What a check finds: what it means, and the repair, or why there is none. */
interface ProblemKind {
  readonly means: string;
  readonly repair?: string;
  readonly unrepaired?: string;
}

export const PROBLEM_KINDS = {
  'delivery-without-message': { means: 'a delivery waits, but its message does not exist', repair: 'the delivery was removed' },
  'open-state-without-message': { means: 'an open state waits, but its message does not exist', repair: 'the open state was removed' },
  'ended-message-with-work': {
    means: 'the message has ended without success, but a delivery or an open state of it waits',
    repair: 'the delivery and the open state were removed',
  },
  'message-without-work': {
    means: 'the message has not ended, but nothing of it waits',
    repair: 'it was opened again: its routes without an outcome are called, possibly once more',
    unrepaired: 'its history, which has its content, is missing or inconsistent',
  },
  'open-state-without-work': {
    means: 'the message waits for deliveries that do not exist',
    repair: 'its deliveries were opened again: they are called, possibly once more',
    unrepaired: 'its history, which has their content, is missing or inconsistent',
  },
  'stuck-lease': { means: 'a lease or a due time is so late that no process takes the work', repair: 'it was made due' },
  'history-without-message': { means: 'history of a message that does not exist', repair: 'the history was removed' },
  'message-without-history': {
    means: 'the message has no history',
    unrepaired: 'what it contained is in no other table: restore it from a backup',
  },
  'job-with-other-users': { means: 'a bulk job counts other users than it has', repair: 'the count was corrected' },
  'job-without-expansion': {
    means: 'a bulk job is processed, but nothing expands it',
    repair: 'all its users have messages: the job was ended',
    unrepaired: 'users without a message are left: send to those whose status is PENDING by another job',
  },
  'users-without-job': { means: 'users of a bulk job that does not exist', repair: 'the users were removed' },
  'lost-request': {
    means: 'the request was accepted and handled, but it is stored nowhere',
    unrepaired:
      'let messaging read it again, which changes nothing for the others: stop messaging, then tidings replay tidings.message-requests.v1 --group tidings.messaging.router --from TIME',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemName = keyof typeof PROBLEM_KINDS;

/** One thing that is wrong. */
export interface Problem {
  readonly problem: ProblemName;
  readonly workspaceId: string;
  /** Of the message, the request or the job, in the store. */
  readonly uuid: string;
  /** Of a delivery. */
  readonly leaf?: number;
  /** Of a stuck lease. */
  readonly table?: 'deliveries' | 'open_messages' | 'expansions';
  /** When a request was accepted, ms since the epoch. */
  readonly at?: number;
}

/** Whether any repair is known. */
export function isRepairable(problem: ProblemName): boolean {
  return 'repair' in PROBLEM_KINDS[problem];
}
