import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import { waitForRetry } from '@tidings/contracts/core/retry-delay';
import { withLimit } from '@tidings/contracts/core/with-limit';
import type { SharedConnection } from './shared-connection';
import { LOCK_CLASS } from '../locks';
import { Session, type SessionOptions } from './session';

const RETRY_DELAY_MS_MAX = 2_000;

// SQL because it is an advisory lock of a session, on a connection outside TypeORM.
/** False when another member of this process has it: PostgreSQL would grant a session a lock it has once more. */
const TRY = statement(
  'events-group-lock-try',
  `SELECT CASE WHEN EXISTS (
     SELECT FROM pg_locks
     WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND classid = (${LOCK_CLASS.place})::int::oid AND objid = $1::int::oid
   ) THEN false ELSE pg_try_advisory_lock(${LOCK_CLASS.place}, $1::int) END`,
);
const AWAIT = statement('events-group-lock-await', 'SELECT events.await_place($1)');
const RELEASE = statement('events-group-lock-release', `SELECT pg_advisory_unlock(${LOCK_CLASS.place}, $1)`);

const logger = new Logger('EventLog');

/** The right to work for a group while its session lives: the lock and every write under it use one connection. */
interface GroupLock {
  readonly session: Session;
  release(): Promise<void>;
}

/**
 * Resolves when this member has the group lock; with `undefined` when `ended` aborts first. A free lock is taken on the
 * shared connection; while another member has it, this one waits on a separate connection and keeps the lock there.
 */
export async function acquireGroupLock(connection: SharedConnection, groupId: number, ended: AbortSignal): Promise<GroupLock | undefined> {
  for (let attempt = 1; !ended.aborted; attempt++) {
    try {
      const session = await connection.awaitSession(ended);
      if (!session) return undefined;
      return (await tryAcquire(session, groupId)) ?? (await waitFor(connection.options, groupId, ended));
    } catch (error) {
      if (attempt === 1 && !ended.aborted) logger.warn(`Group lock not acquired; retrying: ${reasonOf(error)}`);
      await waitForRetry(attempt, RETRY_DELAY_MS_MAX, ended);
    }
  }
  return undefined;
}

async function tryAcquire(session: Session, groupId: number) {
  if (!(await session.value<boolean>(TRY, [groupId]))) return undefined;
  const release = async () => {
    if (session.alive) await session.query(RELEASE, [groupId]).catch(() => session.cut()); // closing the connection releases it as well
  };
  return { session, release };
}

async function waitFor(options: SessionOptions, groupId: number, ended: AbortSignal) {
  const session = await Session.open(options, { synchronous_commit: 'off' });
  const awaited = async () => {
    for (;;) {
      if (ended.aborted) throw new Error('The member was stopped while it stood by');
      if (await session.value<boolean>(AWAIT, [groupId])) return { session, release: () => session.end() };
    }
  };
  try {
    return await withLimit({ signal: ended }, () => session.cut(), awaited);
  } catch (error) {
    session.cut();
    throw error;
  }
}
