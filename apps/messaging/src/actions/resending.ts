import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type MessageRequested, messageRequested } from '@tidings/contracts/messaging/events';
import { newMessageId } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { EventLog } from '@tidings/events/event-log';
import type { CallJournal } from '@tidings/persistence/call-journal';
import type { OverrideSecrets } from '@tidings/persistence/override-secrets';
import type { Clock } from '@tidings/runtime/clock';
import { storedRequest } from '../store/stored-request';

/** How long an append is tried again: shorter than the caller waits, the look-up before it included. */
const APPEND_MS = 7_000;

/** What is new about a message that is sent again. */
interface Again {
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
   * Accepts a message like `id`, whose first stored step is `first`: to the same recipient, saying the same, as the recipient and the
   * template are now. Resolves with its id when the log has it. `not_found` where what was to be said is not kept any more, and for the record
   * of a request to several, which says nothing itself.
   */
  async resend(context: CallContext, id: string, first: readonly HistoryEvent[]): Promise<string> {
    const enqueued = first.find(({ type }) => type === 'ENQUEUED');
    const stored = enqueued && storedRequest(context.workspaceId, id, enqueued);
    if (stored?.targets || stored?.recipient === id)
      throw new ServiceError('not_found', `${id} is a request to several, no message: it cannot be sent again`);
    if (!stored || (stored.content === undefined && stored.template === undefined)) {
      throw new ServiceError('not_found', `What message ${id} says is not kept any more, so it cannot be sent again`);
    }
    // A call that comes again appends the same message again, which is then one.
    const again = await this.journal.once(context, (): Promise<Again> => {
      const requestedAt = this.clock.now();
      return Promise.resolve({ id: newMessageId(requestedAt), requestedAt });
    });
    const payload = this.secrets.seal(sentAgain(stored, { ...again, mode: context.mode }));
    await this.events.append(messageRequested, [{ id: again.id, payload }], { deadlineMs: APPEND_MS });
    return again.id;
  }
}

/** Now, by itself: what was the request's, the job's or the first send's own does not come along. */
function sentAgain(stored: MessageRequested, again: Again & Pick<MessageRequested, 'mode'>): MessageRequested {
  const { delay: _delay, idempotencyKey: _key, requestId: _request, requestTarget: _target, jobId: _job, lane, ...same } = stored;
  return { ...same, ...again, ...(lane === 'critical' && { lane }) };
}
