import type { CallContext } from './context';

/** Runs commands in transactions of a service's database; `Transaction` is its database library's type. */
export abstract class CommandTransactions<Transaction = unknown> {
  /**
   * Runs a command in a transaction, once per call: a repeated call gets the first answer and changes nothing.
   * @throws the error of `work`, after a rollback; `deadline_exceeded` when the caller no longer waits.
   */
  abstract run<Answer>(context: CallContext, work: (tx: Transaction) => Promise<Answer>): Promise<Answer>;
}
