import { Logger } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { toErrorShape } from '@tidings/contracts/core/errors';
import {
  isStoredError,
  type StoredOutcome,
  type KeyedCall,
  KeyedCalls,
  keyInFlight,
  type Outcome,
  type RequestKey,
  type Work,
} from '@tidings/contracts/core/idempotency';
import { reasonOf } from './errors';
import type { IdempotencyRecords, KeyRecord } from './idempotency-records';

/** A call under a key, while it runs. */
interface Attempt {
  readonly secret: boolean;
  readonly call: KeyedCall;
  readonly key: RequestKey;
  readonly work: () => Promise<unknown>;
  /** Whether the effect is that of an earlier call. */
  readonly resumed: boolean;
}

/** Calls under a key, recorded in the service's own schema. */
export class StoredKeyedCalls extends KeyedCalls {
  private readonly logger = new Logger('Idempotency');

  constructor(private readonly records: IdempotencyRecords) {
    super();
  }

  async answer(context: CallContext, key: RequestKey, { secret }: { secret: boolean }, work: Work) {
    const { requestKey: _, ...rest } = context;
    const call: KeyedCall = { workspaceId: rest.workspaceId, id: key.id, bodyHash: key.bodyHash, callId: rest.callId };
    const record = await this.records.reserve(call);
    if (record?.outcome) return { outcome: record.outcome, replayed: record.callId !== call.callId };
    if (record?.callId !== call.callId) throw keyInFlight();
    call.effect = record.effect ?? undefined;
    const resumed = call.effect !== undefined;
    return this.run({ call, key, secret, resumed, work: async () => work({ ...rest, keyedCall: call }) });
  }

  private run(attempt: Attempt): Promise<StoredOutcome> {
    return attempt.work().then(
      (ok) => this.afterSuccess(attempt, { ok: ok ?? null }),
      (error: unknown) => this.afterFailure(attempt, error),
    );
  }

  /** The work is done, so its outcome is returned even if storing it fails. */
  private async afterSuccess(attempt: Attempt, outcome: Outcome) {
    const { call, key, resumed } = attempt;
    try {
      if (attempt.secret) {
        // The first call has fixed the retention already.
        if (resumed || !(await this.records.complete(call, key.expiresAt))) await this.records.release(call);
      } else if (!(await this.records.settle(call, outcome, key.expiresAt))) {
        // Another call settled first; both have the same effect, if any, and so the same outcome.
        const first = await this.records.find(call);
        if (first?.outcome) return { outcome: first.outcome, replayed: first.callId !== call.callId };
      }
    } catch (error) {
      this.logger.warn(`Storing the answer of call ${call.callId} under its key failed: ${reasonOf(error)}`);
    }
    return { outcome, replayed: resumed };
  }

  private async afterFailure(attempt: Attempt, error: unknown) {
    const { call, key } = attempt;
    let record: KeyRecord | undefined;
    try {
      const shape = toErrorShape(error);
      if (isStoredError(shape) && (await this.records.settle(call, { error: shape }, key.expiresAt))) throw error;
      record = await this.records.find(call);
      if (record?.callId === call.callId && !record.outcome) await this.records.release(call);
    } catch (later) {
      if (later !== error)
        this.logger.warn(`Releasing the key of call ${call.callId} failed; it is free when its lease ends: ${reasonOf(later)}`);
      throw error;
    }

    if (!record) throw error;
    if (record.outcome) return { outcome: record.outcome, replayed: record.callId !== call.callId };
    if (record.callId !== call.callId) throw keyInFlight();
    if (record.effect === null || call.effect !== undefined) throw error;
    // Committed after all: COMMIT was not answered, or another delivery of the call was completed.
    call.effect = record.effect;
    return this.run(attempt);
  }
}
