import { createHash } from 'node:crypto';
import { statement } from './statement';
import type { Transaction } from './transaction';

const LOCK = statement('advisory-lock', 'select pg_advisory_xact_lock($1, hashtext($2))');

/**
 * First half of an advisory lock's key: the same for the same purpose and name in every process, another one for others.
 * Advisory locks are shared by everything in one database, so a class is made of a name instead of being counted.
 */
export function advisoryClass(purpose: string, name: string): number {
  return createHash('sha256').update(`tidings/${purpose}/${name}`).digest().readInt32BE(0);
}

/**
 * A lock for something that has no row of its own to lock, held until the transaction ends. Names that are different may share a
 * lock, seldom: whoever takes two in one transaction must expect to hold one of them already.
 */
export function advisoryLock(purpose: string, schema: string): (tx: Transaction, name: string) => Promise<void> {
  const lockClass = advisoryClass(purpose, schema);
  return async (tx, name) => void (await tx.query(LOCK, [lockClass, name]));
}
