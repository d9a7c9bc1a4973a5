import type { CallContext } from '@tidings/contracts/core/context';
import {
  type CompleteSendKey,
  type ReleaseSendKey,
  type ReservedSendKey,
  type ReserveSendKey,
  sendKeys,
} from '@tidings/contracts/messaging/send-keys';
import { IdempotencyRecords } from '@tidings/persistence/idempotency-records';
import { Handles } from '@tidings/rpc/handles';

/** Idempotency keys of sends. The effect stored with a key is the message id, from the reservation on; repeated calls change nothing. */
@Handles(sendKeys)
export class SendKeysHandlers {
  constructor(private readonly records: IdempotencyRecords) {}

  async reserve(context: CallContext, { id, message_id, body_hash: bodyHash, ...rest }: ReserveSendKey): Promise<ReservedSendKey> {
    rest satisfies Record<string, never>;
    const record = await this.records.reserve({ ...callOf(context, id), bodyHash }, message_id);
    if (record?.outcome) return { state: 'replay', outcome: record.outcome };
    if (record?.callId !== context.callId) return { state: 'in_flight' };
    return { state: 'new', message_id: record.effect ?? message_id };
  }

  /** Also valid when another call has reserved the key since: it has the same message id, so its outcome is the same. */
  async complete(context: CallContext, { id, outcome, expires_at }: CompleteSendKey) {
    await this.records.settle({ ...callOf(context, id), effect: '' }, outcome, expires_at);
  }

  async release(context: CallContext, { id, message_id }: ReleaseSendKey) {
    await this.records.release(callOf(context, id), message_id);
  }
}

function callOf({ workspaceId, callId }: CallContext, id: string) {
  return { workspaceId, id, callId };
}
