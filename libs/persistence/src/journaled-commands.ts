import type { EntityManager } from 'typeorm';
import { CommandTransactions } from '@tidings/contracts/core/command-transactions';
import type { CallContext } from '@tidings/contracts/core/context';
import type { CallJournal } from './call-journal';

/** Runs commands in transactions of the service's database and records their answers in the call journal. */
export class JournaledCommands extends CommandTransactions<EntityManager> {
  constructor(private readonly calls: CallJournal) {
    super();
  }

  run<Answer>(context: CallContext, work: (tx: EntityManager) => Promise<Answer>): Promise<Answer> {
    return this.calls.once(context, ({ manager }) => work(manager));
  }
}
