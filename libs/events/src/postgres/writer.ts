import { ServiceError } from '@tidings/contracts/core/errors';
import { isConnectionLost } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import { DatabaseError } from 'pg';
import { type Appender, type Attempt, NotAppended } from '../append-attempt';
import type { EncodedEvent } from '../new-event';
import type { AppendNotifier } from './append-notifier';
import { type Session, SessionHolder, type SessionOptions } from './session';
import { storedTrace } from './stored-trace';
import { textArray } from './text-array';

/** A session with a topic's lock must not block all others forever. */
const LOCK_TIMEOUT = { lock_timeout: '4s' };
const READY_MS_MAX = 1_000;

// SQL because one call of a function appends a batch to several topics.
const APPEND = statement('events-append', 'SELECT events.append($1, $2, $3, $4, $5, $6, $7, $8)');
/** With the traces of the records, of which those of a process that does not trace have none. */
const APPEND_TRACED = statement('events-append-traced', 'SELECT events.append_traced($1, $2, $3, $4, $5, $6, $7, $8, $9)');
const LAST_POSITION = statement('events-last-position', 'SELECT last_value FROM events.position');
const WRITABLE = statement('events-writable', "SELECT current_setting('transaction_read_only') = 'off'");

/** A topic that exists in the database. */
export interface StoredTopic {
  readonly id: number;
  readonly compacted: boolean;
}

/** A record to append. */
export interface NewRecord extends EncodedEvent {
  topic: StoredTopic;
}

/** Appends batches of records over one connection, opened on demand. */
export class Writer extends SessionHolder implements Appender<NewRecord> {
  /** Up to here every record of this instance has a known outcome; one with unknown outcome can only follow. */
  private settledPosition = 0;

  constructor(
    options: SessionOptions,
    private readonly notifier: AppendNotifier,
  ) {
    super(options, LOCK_TIMEOUT);
  }

  /**
   * Appends all records in one commit. After an attempt with unknown outcome, records it has stored are not appended again.
   * @throws NotAppended when nothing was stored; after any other error the outcome is unknown.
   */
  async append(records: readonly NewRecord[], { timeoutMs, again }: Attempt): Promise<void> {
    const session = await this.session().catch((error: unknown) => {
      throw new NotAppended(error);
    });
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
    const isTraced = records.some(({ trace }) => trace !== undefined);
    if (isTraced) values.push(textArray(records.map(({ trace }) => (trace ? storedTrace(trace) : null))));
    const position = await session.value<string>(isTraced ? APPEND_TRACED : APPEND, values, timeoutMs).catch((error: unknown) => {
      throw isRefusal(error) ? new NotAppended(error) : error;
    });
    this.settledPosition = Number(position);
    for (const topic of topics) this.notifier.announce(topic, this.settledPosition);
  }

  /** Whether the database accepts writes now. */
  async ready(): Promise<boolean> {
    try {
      const session = await this.session();
      return await session.value<boolean>(WRITABLE, [], READY_MS_MAX);
    } catch {
      return false;
    }
  }

  protected async prepare(session: Session) {
    if (this.settledPosition > 0) return;
    this.settledPosition = Number(await session.value<string>(LAST_POSITION)) - 1;
  }
}

/** Transaction ended with its session, outcome unknown, internal error. */
const UNKNOWN_OUTCOME_STATES = /^(25P0[34]|40003|XX...)$/;

/** Whether the error means a rollback; one that ended the connection, or occurred in transit, leaves the outcome unknown. */
function isRefusal(error: unknown) {
  if (error instanceof ServiceError && error.code === 'deadline_exceeded') return true; // canceled in the server
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof DatabaseError && !isConnectionLost(cause) && !UNKNOWN_OUTCOME_STATES.test(cause.code ?? '');
}

const intArray = (numbers: readonly number[]) => `{${numbers.join(',')}}`;
