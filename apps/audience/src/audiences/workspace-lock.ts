import { advisoryClass, advisoryLock } from '@tidings/persistence/advisory';
import { statement, type Transaction } from '@tidings/persistence/database';

const PURPOSE = 'audience-gate';
const SCHEMA = 'audience';
// SQL because TypeORM has no advisory locks.
const LOCK_SHARED = statement('audience-workspace-lock-shared', 'select pg_advisory_xact_lock_shared($1, hashtext($2))');
const lockClass = advisoryClass(PURPOSE, SCHEMA);

/**
 * Shared lock between changes of people and changes of audiences. A transaction that writes memberships of a workspace takes it
 * shared. One that changes which memberships exist, which one is served or how far it was announced takes it exclusively. So a
 * holder of the shared lock may rely on the audiences it reads until it commits.
 *
 * Lock order, which prevents deadlocks: this lock first, of one workspace per transaction; then rows of rebuilds and audiences;
 * then people in the order of their ids; then the outbox.
 */
export async function lockWorkspaceShared(tx: Transaction, workspaceId: string) {
  await tx.query(LOCK_SHARED, [lockClass, workspaceId]);
}

/** Takes the workspace's lock exclusively until the transaction ends; waits for its shared holders. */
export const lockWorkspaceExclusive = advisoryLock(PURPOSE, SCHEMA);
