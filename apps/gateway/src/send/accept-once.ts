import { Logger } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { fromErrorShape, toErrorShape, unavailable } from '@tidings/contracts/core/errors';
import { isKeptError, keyInFlight, type Outcome, type RequestKey } from '@tidings/contracts/core/idempotency';
import { type ReservedSendKey, sendKeys } from '@tidings/contracts/messaging/send-keys';
import type { OperationClient } from '@tidings/rpc/operation-client';

const logger = new Logger('Send');

/**
 * Runs `accept`, once for each `Idempotency-Key`. Without a key `accept` gets `id`; with one it gets the id of the first request under
 * the key, and its outcome is stored. `accept` appends under that id, so a record appended earlier without an answer is the same
 * message.
 * @throws ServiceError that `accept` throws or threw the first time; a 409 while another request uses the key; `unavailable` while
 * keys cannot be looked up, and then nothing was accepted.
 */
export async function acceptOnce<Answer extends object>(
  client: OperationClient,
  { requestKey, ...context }: CallContext,
  id: string,
  accept: (id: string) => Promise<Answer>,
): Promise<Answer> {
  if (!requestKey) return accept(id);
  const { state, message_id: reserved = id, outcome } = await reserve(client, context, requestKey, id);
  if (state === 'in_flight') throw keyInFlight();
  if (outcome) {
    requestKey.replayed = true;
    return answerOf<Answer>(outcome);
  }

  let answer: Answer;
  try {
    answer = await accept(reserved);
  } catch (error) {
    const shape = toErrorShape(error);
    await (isKeptError(shape) ? complete(client, context, requestKey, { error: shape }) : release(client, context, requestKey));
    throw error;
  }
  await complete(client, context, requestKey, { ok: answer });
  return answer;
}

/** Nothing is accepted before the reservation, so its timeout is a 503, never a 504. */
async function reserve(client: OperationClient, context: CallContext, key: RequestKey, id: string): Promise<ReservedSendKey> {
  try {
    return await client.call(sendKeys.reserve, context, { id: key.id, message_id: id });
  } catch (error) {
    if (toErrorShape(error).code !== 'deadline_exceeded') throw error;
    throw unavailable('The Idempotency-Key cannot be looked up right now: nothing was sent', error);
  }
}

function answerOf<Answer>(outcome: Outcome): Answer {
  if ('error' in outcome) throw fromErrorShape(outcome.error);
  return outcome.ok as Answer;
}

/** Stores the outcome. A failure is only logged: the send is accepted, and a retry under the open key gets the same id. */
async function complete(client: OperationClient, context: CallContext, { id, expiresAt }: RequestKey, outcome: Outcome): Promise<void> {
  await client.call(sendKeys.complete, context, { id, outcome, expires_at: expiresAt }).catch(logOpenKey);
}

async function release(client: OperationClient, context: CallContext, { id }: RequestKey): Promise<void> {
  await client.call(sendKeys.release, context, { id }).catch(logOpenKey);
}

function logOpenKey(error: unknown): void {
  logger.warn({ err: error }, 'The key of a send stays open until its lease ends');
}
