import { advisoryClass, advisoryLock } from '@tidings/persistence/advisory';
import { statement, type Transaction } from '@tidings/persistence/database';

const PURPOSE = 'audience-gate';
const SCHEMA = 'audience';
const PASS = statement('audience-gate-pass', 'select pg_advisory_xact_lock_shared($1, hashtext($2))');
const gateClass = advisoryClass(PURPOSE, SCHEMA);

/**
 * Between changes of people and changes of audiences. Whoever writes memberships of a workspace passes the gate first, many at
 * a time; whoever changes which memberships there are, which one is served or how far they were told of, closes it. So whoever
 * has passed may rely on what it reads of the audiences until it commits.
 *
 * Always the first lock of a transaction, and of one workspace: after it come rows of rebuilds and audiences, then people in
 * the order of their ids, then the outbox. Nobody goes the other way, so nobody waits in a circle.
 */
export async function lockWorkspaceShared(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query(PASS, [gateClass, workspaceId]);
}

/** Waits until nobody is inside, and lets nobody in until the transaction ends. */
export const lockWorkspaceExclusive: (tx: Transaction, workspaceId: string) => Promise<void> = advisoryLock(PURPOSE, SCHEMA);
