import { createHash } from 'node:crypto';

/**
 * First half of an advisory lock's key: the same for the same purpose and name in every process, another one for others.
 * Advisory locks are shared by everything in one database, so a class is made of a name instead of being counted.
 */
export function advisoryClass(purpose: string, name: string): number {
  return createHash('sha256').update(`tidings/${purpose}/${name}`).digest().readInt32BE(0);
}
