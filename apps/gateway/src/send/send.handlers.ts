import { Inject, Injectable, Logger } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { fromErrorShape, isTransientServiceError, toErrorShape, unavailable } from '@tidings/contracts/core/errors';
import { hasScope, UNSUBSCRIBED_SENDS } from '@tidings/contracts/core/granted';
import type { Handlers } from '@tidings/contracts/core/handlers';
import { isStoredError, keyInFlight, type Outcome, type RequestKey } from '@tidings/contracts/core/idempotency';
import { acceptLegacyListSend, acceptLegacySend, LEGACY_NAMES } from '@tidings/contracts/messaging/accept-legacy';
import { type Acceptance, acceptMessage, type FieldNames, namesBelow } from '@tidings/contracts/messaging/accept-message';
import type { NamePaths } from '@tidings/contracts/messaging/channel-names';
import type { GivenSender } from '@tidings/contracts/messaging/given-sender';
import { type MessageRequested, messageRequested, senderOf } from '@tidings/contracts/messaging/events';
import { limitsOf } from '@tidings/contracts/messaging/key-limits';
import type { LegacyListSend } from '@tidings/contracts/messaging/legacy-send';
import { unknownFieldWarnings } from '@tidings/contracts/messaging/message-fields';
import { messageIdTime, newMessageId } from '@tidings/contracts/messaging/message-id';
import { type Send, send } from '@tidings/contracts/messaging/send';
import { sendKeys } from '@tidings/contracts/messaging/send-keys';
import type { EventLog } from '@tidings/events/event-log';
import { METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { checkSentContent } from '@tidings/rendering/checks/template-check';
import { OperationClient } from '@tidings/rpc/operation-client';
import type { Caller } from '../auth/caller';
import { EVENT_LOG } from '../gateway.options';
import { GivenSenders } from './given-senders';
import { OwnNames } from './own-names';

const logger = new Logger('Send');

const ACCEPTED = metrics.counter(METRICS.accepted);

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
    private readonly senders: GivenSenders,
  ) {}

  accept(context: SendCaller, request: Send) {
    const { message } = request;
    if (message)
      return this.append(
        context,
        (acceptance) => acceptMessage(message, acceptance),
        (id) => ({ requestId: id }),
        namesBelow('message'),
      );
    return this.append(context, (acceptance) => acceptLegacySend(request, acceptance), legacyAnswer, LEGACY_NAMES);
  }

  acceptForLists(context: SendCaller, request: LegacyListSend) {
    return this.append(context, (acceptance) => acceptLegacyListSend(request, acceptance), legacyAnswer, LEGACY_NAMES);
  }

  /** What a send would append, refused as the send would be. Nothing is appended, and no key is reserved. */
  async requestOf(context: SendCaller, request: Send): Promise<MessageRequested> {
    const { message } = request;
    const { payload, assertAllowed } = message
      ? this.validate(context, (acceptance) => acceptMessage(message, acceptance), namesBelow('message'))
      : this.validate(context, (acceptance) => acceptLegacySend(request, acceptance), LEGACY_NAMES);
    await assertAllowed();
    return payload;
  }

  /**
   * The send as an event under an id of its own, or by `accepted` under another; `assertAllowed` checks what only other services know.
   * @throws ServiceError for an invalid send
   */
  private validate(context: SendCaller, accept: (acceptance: Acceptance) => MessageRequested, names: FieldNames) {
    const { workspaceId, mode, requestKey, unknownFields = [] } = context;
    const warnings = unknownFieldWarnings(unknownFields);
    const idempotencyKey = requestKey?.text;
    const limits = limitsOf(context);
    const mayPassUnsubscribed = hasScope(context.scopes, UNSUBSCRIBED_SENDS);
    const accepted = (given: Pick<Acceptance, 'id' | 'requestedAt' | 'onOwnNames' | 'onSender'>) =>
      this.secrets.accept(
        accept({ workspaceId, mode, limits, mayPassUnsubscribed, warnings, checkContent: checkSentContent, idempotencyKey, ...given }),
        names,
      );
    const requestedAt = Date.now();
    const own = newMessageId(requestedAt);
    let ownNames: NamePaths | undefined;
    let sender: GivenSender | undefined;
    const payload = accepted({ id: own, requestedAt, onOwnNames: (found) => (ownNames = found), onSender: (found) => (sender = found) });
    const assertAllowed = async () => {
      if (ownNames) await this.ownNames.assertAll(context, ownNames);
      if (sender) await this.senders.assertAllowed(context, sender);
    };
    return { own, payload, accepted, assertAllowed };
  }

  /** Validates the send and appends its event, once for each key; answers with the id of the event. */
  private async append<Answer extends object>(
    context: SendCaller,
    accept: (acceptance: Acceptance) => MessageRequested,
    answer: (id: string) => Answer,
    names: FieldNames,
  ): Promise<Answer> {
    // Invalid sends are refused before their key is reserved.
    const { own, payload, accepted, assertAllowed } = this.validate(context, accept, names);
    return acceptOnce(this.client, context, own, async (id) => {
      // After the lookup of the key: a stored answer stays the same when a provider is deleted.
      await assertAllowed();
      // An earlier request reserved the key under another id, which contains its time.
      const reserved = id === own ? payload : accepted({ id, requestedAt: messageIdTime(id) });
      await this.events.append(messageRequested, [{ id, payload: reserved }], {
        deadlineMs: send.accept.deadlineMs,
        sender: senderOf(reserved),
        trace: context,
      });
      ACCEPTED.inc();
      return answer(id);
    });
  }
}

const legacyAnswer = (id: string) => ({ messageId: id, requestId: id });

/**
 * Runs `accept`, once for each `Idempotency-Key`. Without a key `accept` gets `id`; with one it gets the id of the first request under
 * the key, and its outcome is stored. `accept` appends under that id, so a record appended earlier without an answer is the same
 * message.
 * @throws ServiceError that `accept` throws or threw the first time; a 409 while another request uses the key; `key_reused` if the first
 * request under the key had another body; `unavailable` while
 * keys cannot be looked up, and then nothing was accepted.
 */
async function acceptOnce<Answer extends object>(
  client: OperationClient,
  caller: CallContext,
  id: string,
  accept: (id: string) => Promise<Answer>,
): Promise<Answer> {
  if (!caller.requestKey) return accept(id);
  const { requestKey, ...context } = caller;
  const { state, message_id: reserved = id, outcome } = await reserve(client, context, requestKey, id);
  if (state === 'in_flight') throw keyInFlight();
  if (outcome) {
    requestKey.replayed = true;
    if ('error' in outcome) throw fromErrorShape(outcome.error);
    return outcome.ok as Answer;
  }

  /**
   * Stores the outcome, or frees the key without one, completely if nothing was sent under the `unused` id. A failure is only logged: a
   * retry under the open key gets the same id.
   */
  const close = (stored: Outcome | undefined, unused?: string) => {
    const { id: keyId, expiresAt } = requestKey;
    const closed = stored
      ? client.call(sendKeys.complete, context, { id: keyId, outcome: stored, expires_at: expiresAt })
      : client.call(sendKeys.release, context, { id: keyId, message_id: unused });
    return closed.catch((error: unknown) => logger.warn({ err: error }, 'The key of a send stays open until its lease ends'));
  };
  let answer: Answer;
  try {
    answer = await accept(reserved);
  } catch (error) {
    const shape = toErrorShape(error);
    // After a transient error the event may have been appended; after a refusal the client may correct the body.
    await close(isStoredError(shape) ? { error: shape } : undefined, isTransientServiceError(error) ? undefined : id);
    throw error;
  }
  await close({ ok: answer });
  return answer;
}

/** Nothing is accepted before the reservation, so its timeout is a 503, never a 504. */
async function reserve(client: OperationClient, context: CallContext, key: RequestKey, id: string) {
  try {
    return await client.call(sendKeys.reserve, context, { id: key.id, message_id: id, body_hash: key.bodyHash });
  } catch (error) {
    if (toErrorShape(error).code !== 'deadline_exceeded') throw error;
    throw unavailable('The Idempotency-Key cannot be looked up right now: nothing was sent', error);
  }
}
