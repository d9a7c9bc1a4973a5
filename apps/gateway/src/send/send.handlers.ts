import { Inject, Injectable } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import type { Handlers } from '@tidings/contracts/core/handlers';
import { acceptLegacyListSend, acceptLegacySend } from '@tidings/contracts/messaging/accept-legacy';
import { type Acceptance, acceptMessage } from '@tidings/contracts/messaging/accept-message';
import type { NamePaths } from '@tidings/contracts/messaging/channel-names';
import { type MessageRequested, messageRequested } from '@tidings/contracts/messaging/events';
import type { LegacyListSend, LegacyListSent } from '@tidings/contracts/messaging/legacy-send';
import { unknownFieldWarnings } from '@tidings/contracts/messaging/message-fields';
import { messageIdTime, newMessageId } from '@tidings/contracts/messaging/message-id';
import { type Send, type SendAccepted, send } from '@tidings/contracts/messaging/send';
import type { EventLog } from '@tidings/events/event-log';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { assertTemplatesParse } from '@tidings/rendering/checks/template-check';
import { OperationClient } from '@tidings/rpc/operation-client';
import type { Caller } from '../auth/caller';
import { EVENT_LOG } from '../gateway.options';
import { acceptOnce } from './accept-once';
import { OwnNames } from './own-names';

type SendCaller = CallContext & Pick<Caller, 'unknownFields'>;

/**
 * Accepts sends, the one operation that the gateway executes itself. It answers once the log acknowledged the record, so an accepted
 * send survives an outage of any service. The log retries under the same id while the outcome is unknown.
 */
@Injectable()
export class SendHandlers implements Handlers<typeof send> {
  constructor(
    @Inject(EVENT_LOG) private readonly events: EventLog,
    private readonly client: OperationClient,
    private readonly secrets: OverrideSecrets,
    private readonly ownNames: OwnNames,
  ) {}

  accept(context: SendCaller, request: Send): Promise<SendAccepted> {
    const { message } = request;
    if (message)
      return this.append(
        context,
        (acceptance) => acceptMessage(message, acceptance),
        (id) => ({ requestId: id }),
      );
    return this.append(context, (acceptance) => acceptLegacySend(request, acceptance), legacyAnswer);
  }

  acceptForLists(context: SendCaller, request: LegacyListSend): Promise<LegacyListSent> {
    return this.append(context, (acceptance) => acceptLegacyListSend(request, acceptance), legacyAnswer);
  }

  /** Validates the send and appends its event, once for each key; answers with the id of the event. */
  private async append<Answer extends object>(
    { unknownFields = [], ...context }: SendCaller,
    accept: (acceptance: Acceptance) => MessageRequested,
    answer: (id: string) => Answer,
  ): Promise<Answer> {
    const { workspaceId, mode, requestKey } = context;
    const warnings = unknownFieldWarnings(unknownFields);
    const base = {
      workspaceId,
      mode,
      warnings,
      checkContent: assertTemplatesParse,
      ...(requestKey?.text !== undefined && { idempotencyKey: requestKey.text }),
    };
    const accepted = (acceptance: Acceptance): MessageRequested => this.secrets.accept(accept(acceptance));
    const requestedAt = Date.now();
    const own = newMessageId(requestedAt);
    // Invalid sends are refused before their key is reserved.
    let names: NamePaths | undefined;
    const payload = accepted({ ...base, id: own, requestedAt, onOwnNames: (found) => (names = found) });
    return acceptOnce(this.client, context, own, async (id) => {
      // After the lookup of the key: a stored answer stays the same when a provider is deleted.
      if (names) await this.ownNames.assertAll(context, names);
      // An earlier request reserved the key under another id, which contains its time.
      const reserved = id === own ? payload : accepted({ ...base, id, requestedAt: messageIdTime(id) });
      await this.events.append(messageRequested, [{ id, payload: reserved }], { deadlineMs: send.accept.deadlineMs });
      return answer(id);
    });
  }
}

function legacyAnswer(id: string): LegacyListSent {
  return { messageId: id, requestId: id };
}
