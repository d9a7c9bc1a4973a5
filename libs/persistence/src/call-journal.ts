import { Logger } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type KeyedCall, keyInFlight } from '@tidings/contracts/core/idempotency';
import type { Database } from './database';
import { reasonOf } from './errors';
import { IdempotencyRecords } from './idempotency-records';
import { statement } from './statement';
import type { Transaction } from './transaction';

const RECORD = statement('call-journal-record', 'INSERT INTO call_journal (delivery_id, answer) VALUES ($1, $2)');
const FIND = statement('call-journal-find', 'SELECT answer FROM call_journal WHERE delivery_id = $1');
const FORGET = statement('call-journal-forget', `DELETE FROM call_journal WHERE at < now() - $1 * interval '1 millisecond'`);

/** Far beyond any deadline: a call past its deadline is not delivered any more. */
const KEPT_MS = 600_000;
const FORGET_INTERVAL_MS = 60_000;
/** After everything a transaction does, before it publishes. */
const RECORD_HOOK_ORDER = 900;

interface Row {
  answer: unknown;
}

/**
 * Recognises commands that a transport delivers again: after a crash, or when its work moves to another process, nobody
 * knows whether the first delivery was finished. The answer is recorded in the transaction of the effect, so that either
 * both are there or neither. A call under a client's `Idempotency-Key` is recorded under the key instead, for as long as the client
 * was promised.
 */
export class CallJournal {
  private readonly logger = new Logger('CallJournal');
  private forgetAt = performance.now() + FORGET_INTERVAL_MS;

  constructor(
    private readonly database: Database,
    private readonly records = new IdempotencyRecords(database),
  ) {}

  /**
   * Does the work of a command in a transaction, once per call: a call that was answered before gets the same answer, and
   * nothing is done. A call that failed left nothing behind and is done again. Where calls are delivered once
   * (`context.deliveryId` is absent) this is `Database.transaction`.
   * Throws `deadline_exceeded` instead of beginning or committing when the caller has given up: it may have tried again.
   */
  async once<Answer>({ deliveryId, expiresAt, keyedCall }: CallContext, work: (tx: Transaction) => Promise<Answer>): Promise<Answer> {
    assertInTime(expiresAt);
    const inTime = async (tx: Transaction): Promise<Answer> => {
      const answer = await work(tx);
      assertInTime(expiresAt);
      return answer;
    };
    if (keyedCall) return this.onceForKey(keyedCall, inTime);
    if (deliveryId === undefined) return this.database.transaction(inTime);
    this.forgetSometimes();
    try {
      return await this.database.transaction(async (tx) => {
        const answer = await inTime(tx);
        tx.beforeCommit(async () => void (await tx.execute(RECORD, [deliveryId, JSON.stringify(answer ?? null)])), RECORD_HOOK_ORDER);
        return answer;
      });
    } catch (error) {
      // Whatever the repetition stumbled over (its own effect, as a rule), the first answer stands.
      const [first] = await this.database.query<Row>(FIND, [deliveryId]);
      if (!first) throw error;
      return (first.answer ?? undefined) as Answer;
    }
  }

  /**
   * A value that is drawn once for each `Idempotency-Key`, where nothing is written but the value: a repeated request gets the first
   * one. Without a key it is drawn anew. It must be JSON, and nothing secret.
   */
  async remember<Value>({ keyedCall }: CallContext, draw: () => Value): Promise<Value> {
    if (!keyedCall) return draw();
    if (keyedCall.effect !== undefined) return JSON.parse(keyedCall.effect) as Value;
    const value = draw();
    const effect = JSON.stringify(value);
    if (!(await this.records.keepEffect(this.database, keyedCall, effect))) throw keyInFlight();
    keyedCall.effect = effect;
    return value;
  }

  private async onceForKey<Answer>(call: KeyedCall, work: (tx: Transaction) => Promise<Answer>): Promise<Answer> {
    if (call.effect !== undefined) return ((JSON.parse(call.effect) as Answer | null) ?? undefined) as Answer;
    return this.database.transaction(async (tx) => {
      const answer = await work(tx);
      const effect = JSON.stringify(answer ?? null);
      tx.beforeCommit(async () => {
        // Another call holds the key, or has done it: of two that work side by side one commits.
        if (!(await this.records.keepEffect(tx, call, effect))) throw keyInFlight();
      }, RECORD_HOOK_ORDER);
      tx.afterCommit(() => (call.effect = effect));
      return answer;
    });
  }

  /** No timer: where nobody calls there is nothing to forget. */
  private forgetSometimes(): void {
    const now = performance.now();
    if (now < this.forgetAt) return;
    this.forgetAt = now + FORGET_INTERVAL_MS;
    this.database
      .execute(FORGET, [KEPT_MS])
      .catch((error: unknown) => this.logger.warn(`Old calls could not be removed from the journal: ${reasonOf(error)}`));
  }
}

function assertInTime(expiresAt: number | undefined): void {
  if (expiresAt === undefined || performance.now() <= expiresAt) return;
  throw new ServiceError('deadline_exceeded', 'The call took longer than its caller waits: nothing was changed');
}
