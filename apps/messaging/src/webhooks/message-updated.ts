import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { MessageDetails, ProviderStatus } from '@tidings/contracts/messaging/messages';
import { STAGES } from '../record/derive-status';
import { type MessageRow, toMessageRecord } from '../record/message-row';

/** An event of a history, and what else the history of its message reports. */
interface ReportedStatus {
  readonly reported: MessageStatus;
  /** Statuses of earlier and later events. */
  readonly earlier: readonly MessageStatus[];
  readonly later: readonly MessageStatus[];
}

const stageOf = (status: string) => STAGES.indexOf(status as MessageStatus);

/**
 * Whether an event of a history changed the status of its message. A stage does where no earlier event had reached it and the message
 * has it still, or a later event says what it has instead; the failure of
 * a route, or another end, does where the message has that status and no later event reports it once more.
 * @param current status of the message.
 */
export function isStatusChange({ reported, earlier, later }: ReportedStatus, current: MessageStatus): boolean {
  const stage = stageOf(reported);
  // A report that came after a failure may be in the history without a change of the status.
  if (stage >= 0) return earlier.every((one) => stageOf(one) < stage) && (stageOf(current) >= stage || later.includes(current));
  return reported === current && !later.includes(reported);
}

/** Data of the event `message:updated`: the record of a message as of the event that changed it to `reported`, and its recipient. */
export function messageUpdated(
  row: MessageRow,
  { reported, earlier }: Omit<ReportedStatus, 'later'>,
): MessageDetails & { recipientId: string } {
  const record = toMessageRecord(row);
  const stage = stageOf(reported) < 0 ? (STAGES.findLast((one) => earlier.includes(one)) ?? STAGES[0]!) : reported;
  const asOf = reported === record.status ? record : { ...record, ...withStage(record, stage, reported), ...failureOf(row, reported) };
  return { ...asOf, recipientId: record.recipient };
}

/** Why a message failed whose recipient opened it all the same: its own fields do not say it any more. */
function failureOf({ providers }: MessageRow, status: MessageStatus): Pick<MessageDetails, 'error' | 'reason'> {
  const last = status === 'UNDELIVERABLE' ? providers?.findLast((one) => one.failure ?? one.reason) : undefined;
  return last ? { error: last.failure?.error ?? last.error, reason: last.failure?.reason ?? last.reason } : {};
}

/** The fields of a record whose message reached a later stage meanwhile, or failed, as of an earlier stage; `status` is that of then. */
function withStage(record: MessageDetails, stage: MessageStatus, status: MessageStatus): Partial<MessageDetails> {
  return {
    status,
    ...timesUpTo(stage, record),
    error: undefined,
    reason: undefined,
    canceledAt: undefined,
    providers: record.providers?.flatMap((one): ProviderStatus[] => {
      if (stageOf(one.status ?? '') <= stageOf(stage)) return [one];
      if (stageOf(stage) < stageOf('SENT')) return [];
      return [{ ...one, ...timesUpTo(stage, one), status: status as ProviderStatus['status'] }];
    }),
  };
}

type Times = Pick<MessageDetails, 'sent' | 'delivered' | 'opened' | 'clicked'>;

function timesUpTo(status: MessageStatus, { sent, delivered, opened, clicked }: Times): Times {
  const upTo = (stage: MessageStatus, time: number | undefined) => (stageOf(stage) <= stageOf(status) ? time : undefined);
  return {
    sent: upTo('SENT', sent),
    delivered: upTo('DELIVERED', delivered),
    opened: upTo('OPENED', opened),
    clicked: upTo('CLICKED', clicked),
  };
}
