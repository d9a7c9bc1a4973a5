import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type MessageRequested, messageRequested } from '@tidings/contracts/messaging/events';
import { newMessageId } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { EventLog } from '@tidings/events/event-log';
import type { CallJournal } from '@tidings/persistence/call-journal';
import type { OverrideSecrets } from '@tidings/runtime/override-secrets';
import type { Clock } from '@tidings/runtime/clock';
import { storedRequest } from '../store/stored-request';

/** Deadline of an append with its retries: shorter than the caller's timeout, including the look-up before it. */
const APPEND_MS = 7_000;

/** Identity of the new message. */
interface NewMessage {
  id: string;
  requestedAt: number;
}

/** Sends messages again, as new ones. */
export class Resending {
  constructor(
    private readonly journal: CallJournal,
    private readonly events: EventLog,
    private readonly clock: Clock,
    private readonly secrets: OverrideSecrets,
  ) {}

  /**
   * Accepts a copy of message `id`, whose first stored step is `first`: same recipient and content, with the current profile and template.
   * Resolves with its id when the log has acknowledged it.
   * @throws ServiceError `not_found` where the content has been removed, and for the record of a request to several, which has no content.
   */
  async resend(context: CallContext, id: string, first: readonly HistoryEvent[]): Promise<string> {
    const enqueued = first.find(({ type }) => type === 'ENQUEUED');
    const stored = enqueued && storedRequest(context.workspaceId, id, enqueued);
    if (stored?.targets || stored?.recipient === id)
      throw new ServiceError('not_found', `${id} is a request to several, no message: it cannot be sent again`);
    if (!stored || (stored.content === undefined && stored.template === undefined)) {
      throw new ServiceError('not_found', `The content of message ${id} is not stored any more: it cannot be sent again`);
    }
    // A call that is delivered twice appends the same id twice; consumers store it once.
    const created = await this.journal.once(context, (): Promise<NewMessage> => {
      const requestedAt = this.clock.now();
      return Promise.resolve({ id: newMessageId(requestedAt), requestedAt });
    });
    const payload = this.secrets.seal(copyOf(stored, { ...created, mode: context.mode }));
    await this.events.append(messageRequested, [{ id: created.id, payload }], { deadlineMs: APPEND_MS });
    return created.id;
  }
}

/** An immediate send of its own: without the delay and key of the first send, and without its request and job. */
function copyOf(stored: MessageRequested, created: NewMessage & Pick<MessageRequested, 'mode'>): MessageRequested {
  const { delay: _delay, idempotencyKey: _key, requestId: _request, requestTarget: _target, jobId: _job, lane, ...same } = stored;
  return { ...same, ...created, ...(lane === 'critical' && { lane }) };
}
