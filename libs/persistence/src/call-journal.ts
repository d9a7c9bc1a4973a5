import { Logger } from '@nestjs/common';
import type { CommandTransactions } from '@tidings/contracts/core/command-transactions';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { keyInFlight } from '@tidings/contracts/core/idempotency';
import type { EntityManager } from 'typeorm';
import type { AuditTrail, InstallationEvent } from './audit-trail';
import type { Database } from './database';
import { IdempotencyRecords, oncePerMinute } from './idempotency-records';
import { statement } from './statement';
import type { Transaction } from './transaction';

// SQL because commands over Kafka wait for the record of their answer, which has no entity.
const RECORD = statement('call-journal-record', 'INSERT INTO call_journal (delivery_id, answer) VALUES ($1, $2)');
const FIND = statement('call-journal-find', 'SELECT answer FROM call_journal WHERE delivery_id = $1');
const REMOVE_OLD = statement('call-journal-remove-old', `DELETE FROM call_journal WHERE at < now() - $1 * interval '1 millisecond'`);

/** Far beyond any deadline: a call past its deadline is not redelivered. */
export const JOURNAL_RETAINED_MS = 600_000;
/** After a transaction's other work, before it publishes. */
const RECORD_HOOK_ORDER = 900;

interface Row {
  answer: unknown;
}

/**
 * Recognises redelivered commands: after a crash or a rebalance a transport does not know whether the first delivery was
 * finished. The answer is recorded in the transaction of the effect, so that both exist or neither. A call under a client's
 * `Idempotency-Key` is recorded under the key instead, for the time the client was promised. An audited call leaves its audit event in
 * the same transaction.
 */
export class CallJournal implements CommandTransactions<EntityManager> {
  private readonly logger = new Logger('CallJournal');
  private readonly removeOld = oncePerMinute(
    () => this.database.execute(REMOVE_OLD, [JOURNAL_RETAINED_MS]),
    this.logger,
    'old calls from the journal',
  );

  constructor(
    private readonly database: Database,
    private readonly records = new IdempotencyRecords(database),
    private readonly trail?: AuditTrail,
  ) {}

  run<Answer>(context: CallContext, work: (tx: EntityManager) => Promise<Answer>) {
    return this.once(context, ({ manager }) => work(manager));
  }

  /**
   * Runs a command in a transaction, once per call: a call that was answered before gets the same answer, without effect. A call
   * that failed left nothing behind and runs again. Where calls are delivered once (`context.deliveryId` is absent) this is
   * `Database.transaction`.
   * @throws ServiceError `deadline_exceeded` instead of starting or committing past the deadline: the caller may have retried.
   */
  async once<Answer>(context: CallContext, work: (tx: Transaction) => Promise<Answer>): Promise<Answer> {
    const { deliveryId, expiresAt, keyedCall } = context;
    assertInTime(expiresAt);
    if (keyedCall?.effect !== undefined) return ((JSON.parse(keyedCall.effect) as Answer | null) ?? undefined) as Answer;
    try {
      return await this.database.transaction(async (tx) => {
        const audit = context.audit && (await this.auditTrail.begin(context, tx));
        const answer = await work(tx);
        assertInTime(expiresAt);
        audit?.(answer);
        this.record(context, tx, answer);
        return answer;
      });
    } catch (error) {
      if (keyedCall || deliveryId === undefined) throw error;
      // A repetition may fail in any way (usually because of its own effect); the first answer stands.
      const [first] = await this.database.query<Row>(FIND, [deliveryId]);
      if (!first) throw error;
      return (first.answer ?? undefined) as Answer;
    }
  }

  /**
   * A value drawn once per `Idempotency-Key`, for commands that write nothing else: a repeated request gets the first one. Without
   * a key it is drawn for each call. It must be JSON and must not be secret.
   */
  async drawOnce<Value>({ keyedCall }: CallContext, draw: () => Value): Promise<Value> {
    if (!keyedCall) return draw();
    if (keyedCall.effect !== undefined) return JSON.parse(keyedCall.effect) as Value;
    const value = draw();
    const effect = JSON.stringify(value);
    if (!(await this.records.storeEffect(this.database, keyedCall, effect))) throw keyInFlight();
    keyedCall.effect = effect;
    return value;
  }

  /**
   * Records in every workspace what an operator does to the whole installation in several transactions, in one of its own: call it before
   * them. A call without an actor is no operator's.
   */
  async recordForAll({ actor }: CallContext, ...events: readonly InstallationEvent[]): Promise<void> {
    if (!actor || events.length === 0) return;
    await this.database.transaction(async (tx) => {
      for (const event of events) await this.auditTrail.addToAll(tx, actor, event);
    });
  }

  private get auditTrail() {
    if (!this.trail) throw new Error('The service provides no AuditTrail for an audited operation');
    return this.trail;
  }

  /** Records the answer with the transaction's commit. */
  private record({ deliveryId, keyedCall }: CallContext, tx: Transaction, answer: unknown) {
    if (keyedCall) {
      const effect = JSON.stringify(answer ?? null);
      tx.beforeCommit(async () => {
        // Another call has the key or has finished: of two concurrent calls one commits.
        if (!(await this.records.storeEffect(tx, keyedCall, effect))) throw keyInFlight();
      }, RECORD_HOOK_ORDER);
      tx.afterCommit(() => (keyedCall.effect = effect));
    } else if (deliveryId !== undefined) {
      this.removeOld();
      tx.beforeCommit(async () => void (await tx.execute(RECORD, [deliveryId, JSON.stringify(answer ?? null)])), RECORD_HOOK_ORDER);
    }
  }
}

function assertInTime(expiresAt: number | undefined) {
  if (expiresAt === undefined || performance.now() <= expiresAt) return;
  throw new ServiceError('deadline_exceeded', 'The call took longer than its caller waits: nothing was changed');
}
