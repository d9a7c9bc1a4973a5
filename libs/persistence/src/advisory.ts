import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { statement } from './statement';
import { transactionOf } from './transaction';

// SQL because TypeORM has no advisory locks.
const LOCK = statement('advisory-lock', 'select pg_advisory_xact_lock($1, hashtext($2))');

/**
 * First half of an advisory lock's key: the same for a purpose and name in every process.
 * All users of a database share its advisory locks, so a class is a hash of its name instead of a counter.
 */
export function advisoryClass(purpose: string, name: string): number {
  return createHash('sha256').update(`tidings/${purpose}/${name}`).digest().readInt32BE(0);
}

/**
 * A lock for something without a row to lock, by its names; lasts until the transaction ends. Different names may rarely share a lock: a
 * transaction that takes two may have the second already.
 */
export function advisoryLock(purpose: string, schema: string) {
  const lockClass = advisoryClass(purpose, schema);
  return async (tx: EntityManager, ...names: string[]) => {
    await transactionOf(tx).query(LOCK, [lockClass, names.join(':')]);
  };
}
