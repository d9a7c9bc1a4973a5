import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import { setTimeout as delay } from 'node:timers/promises';
import { retryDelayMs } from '../retry-delay';
import type { SharedConnection } from './shared-connection';
import { LOCK_CLASS } from './locks';
import { Session, type SessionOptions } from './session';

const RETRY_DELAY_MS_MAX = 2_000;

const TRY = statement('events-place-try', `SELECT pg_try_advisory_lock(${LOCK_CLASS.place}, $1)`);
const AWAIT = statement('events-place-await', 'SELECT events.await_place($1)');
const LEAVE = statement('events-place-leave', `SELECT pg_advisory_unlock(${LOCK_CLASS.place}, $1)`);

const logger = new Logger('EventLog');

/** The right to work for a group, as long as its session lives: the lock and everything written under it share one connection. */
export interface GroupLock {
  readonly session: Session;
  leave(): Promise<void>;
}

/** Gives the groups' places to this instance's members. */
export class GroupLocks {
  /** Groups whose place this instance's line holds: a session gets a lock it has a second time as well. */
  private readonly onLine = new Set<number>();

  constructor(
    private readonly line: SharedConnection,
    private readonly options: Omit<SessionOptions, 'settings'>,
  ) {}

  /**
   * Resolves when this member is its group's one working member; `undefined` when `ended` aborts first. A free place is
   * held by the instance's line; behind another member one waits on a connection of one's own, and keeps it.
   */
  async take(groupId: number, ended: AbortSignal): Promise<GroupLock | undefined> {
    for (let attempt = 1; !ended.aborted; attempt++) {
      try {
        const line = await this.line.whenever(ended);
        if (!line) return undefined;
        return (await this.takeFree(line, groupId)) ?? (await this.waitFor(groupId, ended));
      } catch (error) {
        if (attempt === 1 && !ended.aborted) logger.warn(`A group's place cannot be had now: ${reasonOf(error)}`);
        await delay(retryDelayMs(attempt, RETRY_DELAY_MS_MAX), undefined, { signal: ended }).catch(() => {});
      }
    }
    return undefined;
  }

  private async takeFree(session: Session, groupId: number): Promise<GroupLock | undefined> {
    if (this.onLine.has(groupId)) return undefined;
    this.onLine.add(groupId);
    const forget = () => void this.onLine.delete(groupId);
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
      leave: async () => {
        if (!session.alive) return;
        session.lost.removeEventListener('abort', forget);
        await session.query(LEAVE, [groupId]).catch(() => session.cut()); // losing the connection leaves as well
        forget();
      },
    };
  }

  private async waitFor(groupId: number, ended: AbortSignal): Promise<GroupLock | undefined> {
    const session = await Session.open({ ...this.options, settings: ['synchronous_commit=off'] });
    const cut = () => session.cut();
    ended.addEventListener('abort', cut, { once: true });
    try {
      for (;;) {
        if (ended.aborted) throw new Error('The member was stopped while it stood by');
        const [row] = await session.query<[boolean]>(AWAIT, [groupId]);
        if (row![0]) return { session, leave: () => session.end() };
      }
    } catch (error) {
      session.cut();
      throw error;
    } finally {
      ended.removeEventListener('abort', cut);
    }
  }
}
