import type { CallContext } from '@tidings/contracts/core/context';
import type { Handlers } from '@tidings/contracts/core/handlers';
import { acceptMessage } from '@tidings/contracts/messaging/accept-message';
import { messageRequested } from '@tidings/contracts/messaging/events';
import { newMessageId } from '@tidings/contracts/messaging/message-id';
import { type Send, type SendAccepted, send } from '@tidings/contracts/messaging/send';
import type { EventLog } from '@tidings/events/event-log';

/**
 * The one thing the gateway does itself: accept a send. The answer comes when the log has the request, so what was
 * accepted survives whatever is down behind the log. The log tries again under the same id while the outcome is unknown.
 */
export class SendHandlers implements Handlers<typeof send> {
  constructor(
    private readonly events: EventLog,
    private readonly now: () => number = Date.now,
  ) {}

  async accept({ workspaceId, mode }: CallContext, request: Send): Promise<SendAccepted> {
    const requestedAt = this.now();
    const id = newMessageId(requestedAt);
    const payload = acceptMessage(request, { workspaceId, mode, id, requestedAt });
    await this.events.append(messageRequested, [{ id, payload }], { deadlineMs: send.accept.deadlineMs });
    return { requestId: id };
  }
}
