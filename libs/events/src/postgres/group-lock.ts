import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import { waitForRetry } from '@tidings/contracts/core/retry-delay';
import type { SharedConnection } from './shared-connection';
import { LOCK_CLASS } from '../locks';
import { Session, type SessionOptions } from './session';

const RETRY_DELAY_MS_MAX = 2_000;

const TRY = statement('events-group-lock-try', `SELECT pg_try_advisory_lock(${LOCK_CLASS.place}, $1)`);
const AWAIT = statement('events-group-lock-await', 'SELECT events.await_place($1)');
const RELEASE = statement('events-group-lock-release', `SELECT pg_advisory_unlock(${LOCK_CLASS.place}, $1)`);

const logger = new Logger('EventLog');

/** The right to work for a group while its session lives: the lock and every write under it use one connection. */
export interface GroupLock {
  readonly session: Session;
  release(): Promise<void>;
}

/** Acquires group locks for the members of this instance. */
export class GroupLocks {
  /** Groups locked on the shared connection: PostgreSQL would grant a session a lock it has once more. */
  private readonly onShared = new Set<number>();

  constructor(
    private readonly connection: SharedConnection,
    private readonly options: Omit<SessionOptions, 'settings'>,
  ) {}

  /**
   * Resolves when this member has the group lock; with `undefined` when `ended` aborts first. A free lock is taken on the
   * shared connection; while another member has it, this one waits on a separate connection and keeps the lock there.
   */
  async acquire(groupId: number, ended: AbortSignal): Promise<GroupLock | undefined> {
    for (let attempt = 1; !ended.aborted; attempt++) {
      try {
        const session = await this.connection.awaitSession(ended);
        if (!session) return undefined;
        return (await this.tryAcquire(session, groupId)) ?? (await this.waitFor(groupId, ended));
      } catch (error) {
        if (attempt === 1 && !ended.aborted) logger.warn(`Group lock not acquired; retrying: ${reasonOf(error)}`);
        await waitForRetry(attempt, RETRY_DELAY_MS_MAX, ended);
      }
    }
    return undefined;
  }

  private async tryAcquire(session: Session, groupId: number): Promise<GroupLock | undefined> {
    if (this.onShared.has(groupId)) return undefined;
    this.onShared.add(groupId);
    const forget = () => void this.onShared.delete(groupId);
    try {
      const [row] = await session.query<[boolean]>(TRY, [groupId]);
      if (!row![0]) {
        forget();
        return undefined;
      }
    } catch (error) {
      forget();
      throw error;
    }
    session.lost.addEventListener('abort', forget, { once: true });
    if (!session.alive) forget();
    return {
      session,
      release: async () => {
        if (!session.alive) return;
        session.lost.removeEventListener('abort', forget);
        await session.query(RELEASE, [groupId]).catch(() => session.cut()); // closing the connection releases it as well
        forget();
      },
    };
  }

  private async waitFor(groupId: number, ended: AbortSignal): Promise<GroupLock> {
    const session = await Session.open({ ...this.options, settings: ['synchronous_commit=off'] });
    const cut = () => session.cut();
    ended.addEventListener('abort', cut, { once: true });
    try {
      for (;;) {
        if (ended.aborted) throw new Error('The member was stopped while it stood by');
        const [row] = await session.query<[boolean]>(AWAIT, [groupId]);
        if (row![0]) return { session, release: () => session.end() };
      }
    } catch (error) {
      session.cut();
      throw error;
    } finally {
      ended.removeEventListener('abort', cut);
    }
  }
}
