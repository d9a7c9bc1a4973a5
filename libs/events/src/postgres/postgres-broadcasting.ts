import { Logger } from '@nestjs/common';
import { waitForRetry } from '@tidings/contracts/core/retry-delay';
import { reasonOf } from '@tidings/persistence/errors';
import { Broadcasting } from '../broadcasting';
import type { BroadcastHandler } from '../event-log';
import type { TopicReader } from './group-source';
import type { Session } from './session';

const READ_RECORDS_MAX = 500;
const RETRY_DELAY_MS_MAX = 2_000;

const logger = new Logger('EventLog');

/** A broadcast over the shared connection, across its losses. */
export class PostgresBroadcasting extends Broadcasting {
  private readonly stopping = new AbortController();
  private readonly working: Promise<void>;
  protected readonly connection = this.reader.connection;
  private readonly unwatch = this.connection.watch();
  private session?: Session;

  /**
   * @param session the session on which the position was read.
   * @param position records beyond it are delivered.
   */
  constructor(
    name: string,
    handler: BroadcastHandler<never>,
    private readonly reader: TopicReader,
    session: Session,
    private position: number,
  ) {
    super(name, handler);
    this.noteLossOf(session);
    this.working = this.work();
  }

  async stop() {
    if (!this.stopping.signal.aborted) this.unwatch();
    this.stopping.abort();
    await this.working;
  }

  private async work() {
    const { signal } = this.stopping;
    for (let failures = 1; ; failures++) {
      const session = await this.connection.awaitSession(signal);
      if (!session || signal.aborted) return;
      this.noteLossOf(session);
      try {
        for await (const { records, complete } of this.reader.follow(session, () => this.position, READ_RECORDS_MAX, signal)) {
          failures = 0;
          this.deliver(records);
          this.position = Number(records.at(-1)?.record.position ?? this.position);
          if (complete && session.alive) this.behindSince = undefined;
        }
      } catch (error) {
        this.behindSince ??= performance.now();
        if (session.alive) logger.error(`${this.name}: reading failed; retrying: ${reasonOf(error)}`);
        await waitForRetry(failures + 1, RETRY_DELAY_MS_MAX, signal);
      }
    }
  }

  /** Counts as interrupted from the loss of the connection until every missed record is delivered. */
  private noteLossOf(session: Session) {
    if (this.session === session) return;
    this.session = session;
    const note = () => (this.behindSince ??= performance.now() - this.connection.interruptedForMs());
    if (session.alive) session.lost.addEventListener('abort', note, { once: true });
    else note();
  }
}
