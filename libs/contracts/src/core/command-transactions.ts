import type { CallContext } from './context';

/** A service's transactions for commands; `Transaction` is what its database library works with. */
export abstract class CommandTransactions<Transaction = unknown> {
  /**
   * Runs a command in a transaction, once per call: a call that was answered before gets the same answer and changes nothing.
   * @throws what `work` throws, and then nothing was changed; `deadline_exceeded` when the caller no longer waits.
   */
  abstract run<Answer>(context: CallContext, work: (tx: Transaction) => Promise<Answer>): Promise<Answer>;
}
