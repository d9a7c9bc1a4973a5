import { Injectable } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { hasScope, UNSUBSCRIBED_SENDS } from '@tidings/contracts/core/granted';
import { notFound } from '@tidings/contracts/core/refusals';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { assertWithinLimits, limitsOf } from '@tidings/contracts/messaging/key-limits';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { Database, statement } from '@tidings/persistence/database';
import { storedRequest } from '../record/stored-events';
import { ReadYourWrites } from './read-your-writes';
import { requestExplainer } from './request-sentence';

// SQL because one statement reads whether a message exists, and its first step; neither has an entity.
/** Null events: the message exists, its history has been removed. */
const FIRST_STEP = statement(
  'messaging.first_step',
  `select history.events
     from messages left join history
       on history.workspace_id = messages.workspace_id and history.message_id = messages.id and history.number = 1
    where messages.workspace_id = $1 and messages.id = $2`,
);

/** Sends as their messages store them. */
@Injectable()
export class StoredSends {
  constructor(
    private readonly database: Database,
    private readonly fresh: ReadYourWrites,
  ) {}

  /**
   * The send of message `id` as one that the caller sends again at once: with the same recipient and content, within the caller's limits,
   * and without the delay and key, the request and job of the first one.
   * @throws ServiceError `not_found` where the message, or its content, is not stored
   */
  async again(context: CallContext, id: string): Promise<Omit<MessageRequested, 'id' | 'requestedAt'>> {
    const find = async (uuid: string) => {
      const [step] = await this.database.query<{ events: HistoryEvent[] | null }>(FIRST_STEP, [context.workspaceId, uuid]);
      return step;
    };
    const { events } = await this.fresh.load(context, id, find, { explain: requestExplainer(this.database, context) });
    const enqueued = events?.find(({ type }) => type === 'ENQUEUED');
    const stored = enqueued && storedRequest(context.workspaceId, id, enqueued);
    if (stored?.targets || stored?.recipient === id) throw notFound(`${id} is a request to several, no message: it cannot be sent again`);
    if (!stored || (stored.content === undefined && stored.template === undefined)) {
      throw notFound(`The content of message ${id} is not stored any more: it cannot be sent again`);
    }
    const { limits: _limits, passUnsubscribed: passed, ...unlimited } = stored;
    const passUnsubscribed = hasScope(context.scopes, UNSUBSCRIBED_SENDS) ? passed : undefined;
    const limits = limitsOf(context);
    if (limits) assertWithinLimits({ ...unlimited, limits });
    const { delay: _delay, idempotencyKey: _key, requestId: _request, requestTarget: _target, jobId: _job, ...rest } = unlimited;
    const { trace: _trace, lane, ...same } = rest;
    return { ...same, limits, passUnsubscribed, mode: context.mode, ...(lane === 'critical' && { lane }) };
  }
}
