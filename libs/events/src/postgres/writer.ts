import { isConnectionLost, toDatabaseError } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import { DatabaseError } from 'pg';
import { type Attempt, NotAppended } from '../append-queue';
import type { EncodedEvent } from '../new-event';
import type { AppendNotifier } from './append-notifier';
import { Session, type SessionOptions } from './session';
import { textArray } from './text-array';
import type { StoredTopic } from './topics';
import { logClosed } from '../subscriptions';

/** Somebody who holds a topic's lock for longer than a commit takes must not hold up everybody for ever. */
const SETTINGS = ['lock_timeout=4s'];
const READY_MS_MAX = 1_000;

const APPEND = statement('events-append', 'SELECT events.append($1, $2, $3, $4, $5, $6, $7, $8)');
const LAST_POSITION = statement('events-last-position', 'SELECT last_value FROM events.position');
const WRITABLE = statement('events-writable', "SELECT current_setting('transaction_read_only') = 'off'");

/** A record on its way into the tables. */
export interface NewRecord extends EncodedEvent {
  topic: StoredTopic;
}

/** Writes batches of records over one connection, made when it is needed. */
export class Writer {
  private current?: Session;
  private opening?: Promise<Session>;
  private closed = false;
  /** Every record of this instance up to here has a known outcome; a doubtful one can only stand beyond. */
  private settledPosition = 0;

  constructor(
    private readonly options: Omit<SessionOptions, 'settings'>,
    private readonly announcements: AppendNotifier,
  ) {}

  /** @throws ServiceError `unavailable`. */
  async session(): Promise<Session> {
    if (this.current?.alive) return this.current;
    if (this.closed) throw logClosed();
    this.opening ??= this.open().finally(() => (this.opening = undefined));
    return this.opening;
  }

  /**
   * Appends all records in one commit. After an attempt whose outcome is unknown, records that turn out to have been kept
   * are not appended again.
   */
  async append(records: readonly NewRecord[], { timeoutMs, again }: Attempt): Promise<void> {
    let session: Session;
    try {
      session = await this.session();
    } catch (error) {
      throw new NotAppended(error);
    }
    const topics = [...new Set(records.map(({ topic }) => topic.id))].sort((a, b) => a - b); // always locked in one order
    const compacted = new Set(records.filter(({ topic }) => topic.compacted).map(({ topic }) => topic.id));
    const values = [
      intArray(topics),
      intArray([...compacted]),
      intArray(records.map(({ topic }) => topic.id)),
      textArray(records.map(({ id }) => id)),
      textArray(records.map(({ key }) => key)),
      textArray(records.map(({ payload }) => payload)),
      textArray(records.map(({ sequence }) => sequence ?? null)),
      again ? this.settledPosition : null,
    ];
    let position: number;
    try {
      const [row] = await session.query<[string]>(APPEND, values, timeoutMs);
      position = Number(row![0]);
    } catch (error) {
      throw isRefusal(error) ? new NotAppended(toDatabaseError(error, false)) : error;
    }
    this.settledPosition = position;
    for (const topic of topics) this.announcements.announce(topic, position);
  }

  /** Whether the database takes records now. */
  async ready(): Promise<boolean> {
    try {
      const session = await this.session();
      const [row] = await session.query<[boolean]>(WRITABLE, [], READY_MS_MAX);
      return row![0];
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.opening?.catch(() => {});
    await this.current?.end();
  }

  private async open(): Promise<Session> {
    const session = await Session.open({ ...this.options, settings: SETTINGS });
    if (this.settledPosition === 0) {
      const [row] = await session.query<[string]>(LAST_POSITION).catch((error: unknown) => {
        session.cut();
        throw toDatabaseError(error, false);
      });
      this.settledPosition = Number(row![0]) - 1;
    }
    this.current = session;
    return session;
  }
}

/** Transaction ended with its session, outcome in doubt, internal error. */
const DOUBTFUL_STATES = /^(25P0[34]|40003|XX...)$/;

/** An error of the statement alone was rolled back; one that ended the connection, or came from the way there, says nothing. */
function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && !isConnectionLost(error) && !DOUBTFUL_STATES.test(error.code ?? '');
}

const intArray = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;
