import { Logger } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import type { Database } from './database';
import { reasonOf } from './errors';
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
 * both are there or neither.
 */
export class CallJournal {
  private readonly logger = new Logger('CallJournal');
  private forgetAt = performance.now() + FORGET_INTERVAL_MS;

  constructor(private readonly database: Database) {}

  /**
   * Does the work of a command in a transaction, once per call: a call that was answered before gets the same answer, and
   * nothing is done. A call that failed left nothing behind and is done again. Where calls are delivered once
   * (`context.deliveryId` is absent) this is `Database.transaction`.
   */
  async once<Answer>({ deliveryId }: CallContext, work: (tx: Transaction) => Promise<Answer>): Promise<Answer> {
    if (deliveryId === undefined) return this.database.transaction(work);
    this.forgetSometimes();
    try {
      return await this.database.transaction(async (tx) => {
        const answer = await work(tx);
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
