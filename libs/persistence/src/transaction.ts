import type { EntityManager } from 'typeorm';
import type { Statement } from './statement';

/** Runs statements; what `Database` and `Transaction` have in common. */
export interface Queryable {
  /** Rows of a statement. Errors: `DatabaseUnavailable`, `deadline_exceeded`, or what PostgreSQL said. */
  query<Row extends object>(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
  /** Number of rows a statement changed. */
  execute(statement: Statement | string, values?: readonly unknown[]): Promise<number>;
}

export type BeforeCommitHook = (tx: Transaction) => Promise<void>;

/**
 * Position of hooks that take publishing locks: after everything that takes row locks, so that nobody who holds a
 * publishing lock ever waits for a row. Two such hooks of one transaction need different positions, the same everywhere.
 */
export const PUBLISH_HOOK_ORDER = 1_000;

/** A transaction that is open. Its statements run one after the other, also when they are asked for at once. */
export interface Transaction extends Queryable {
  /** TypeORM on the same connection and in the same transaction. Not for two calls at once. */
  readonly manager: EntityManager;
  /**
   * Runs immediately before COMMIT, in the order of `order` (default 0), then of registration. A hook may register
   * hooks of its own order or later. When one fails, the transaction is rolled back.
   */
  beforeCommit(hook: BeforeCommitHook, order?: number): void;
  /** Runs once the transaction is known to be committed; must not throw. */
  afterCommit(hook: () => void): void;
}

const open = new WeakMap<EntityManager, Transaction>();

/** For `Database` alone: the transaction that runs on a manager's connection. */
export function register(manager: EntityManager, tx: Transaction): void {
  open.set(manager, tx);
}

/** The same transaction, for plain statements and for hooks around its commit. */
export function transactionOf(manager: EntityManager): Transaction {
  const tx = open.get(manager);
  if (!tx) throw new Error('This entity manager is not that of a transaction of Database');
  return tx;
}
