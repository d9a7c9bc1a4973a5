import type { EntityManager } from 'typeorm';
import type { Statement } from './statement';

/** Runs statements; common to `Database`, `Transaction` and `DedicatedConnection`. */
export interface Queryable {
  /** Rows of a statement. @throws DatabaseUnavailable, ServiceError `deadline_exceeded`, or PostgreSQL's error. */
  query<Row extends object>(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement; resolves with the number of rows it changed. */
  execute(statement: Statement | string, values?: readonly unknown[]): Promise<number>;
}

/** Runs in the transaction, just before its commit; an error rolls it back. */
export type BeforeCommitHook = (tx: Transaction) => Promise<void>;

/**
 * Order of hooks that take publishing locks: after everything that takes row locks, so that a transaction with a publishing lock
 * never waits for a row. Two such hooks of one transaction need different orders, equal in all processes.
 */
export const PUBLISH_HOOK_ORDER = 1_000;

/** An open transaction. Concurrent statements run one after another. */
export interface Transaction extends Queryable {
  /** TypeORM on the same connection and in the same transaction; not for concurrent calls. */
  readonly manager: EntityManager;
  /**
   * Runs `hook` immediately before COMMIT, by `order` (default 0), then by registration. A hook may register hooks of its own
   * order or a later one. When a hook fails, the transaction is rolled back.
   */
  beforeCommit(hook: BeforeCommitHook, order?: number): void;
  /** Runs `hook` once the transaction is known to be committed; it must not throw. */
  afterCommit(hook: () => void): void;
}

const open = new WeakMap<EntityManager, Transaction>();

/** Registers the transaction of a manager's connection. For `Database` only. */
export function register(manager: EntityManager, tx: Transaction): void {
  open.set(manager, tx);
}

/** The same transaction, for prepared statements and commit hooks. @throws Error outside a transaction of `Database`. */
export function transactionOf(manager: EntityManager): Transaction {
  const tx = open.get(manager);
  if (!tx) throw new Error('This entity manager has no transaction of Database');
  return tx;
}
