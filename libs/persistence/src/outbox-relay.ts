import { Logger } from '@nestjs/common';
import type { Database } from './database';
import { reasonOf } from './errors';
import { RelayPublisher } from './relay-publisher';
import { type AppendLog, type RelaySource, SHARD_LIMITS } from './relay-source';
import { RelaySession } from './relay-session';
import { CompactedRepublisher } from './compacted-republisher';

const logger = new Logger('OutboxRelay');

/** When a relay looks without being told: for shards whose relay died, and for news that were lost on their way. */
const DEFAULT_SWEEP_INTERVAL_MS = 5_000;
const BACK_OFF_MS_MIN = 100;
const BACK_OFF_MS_MAX = 5_000;

export interface OutboxRelayOptions {
  database: Database;
  source: RelaySource;
  log: AppendLog;
  /** How long it takes at most to notice what no news came of, in ms. Default 5 s. */
  sweepIntervalMs?: number;
  /** Batches begin at least so far apart, in ms: under load each carries more. What comes after a pause waits for nothing. Default 0. */
  batchIntervalMs?: number;
  /** When the first batch's records of compacted topics are appended again, see `Restatement`, in ms. Default 5 s. */
  restateAfterMs?: number;
}

/**
 * Publishes the events of a source, in order within each shard, at least once. Any number of relays may run: each shard is
 * worked on by one at a time, and an old one that finishes late repeats events but loses and moves none.
 * Idle it does nothing but its sweep; it works the moment a commit is rung in its process, or told by another.
 */
export class OutboxRelay {
  private readonly publisher: RelayPublisher;
  private readonly restatement: CompactedRepublisher;
  private readonly sweepIntervalMs: number;
  private session: RelaySession | undefined;
  private running: Promise<void> | undefined;
  private stopping = false;
  private rung = false;
  /** The last look found nothing. */
  private caughtUp = false;
  /** Until when a relay that stops goes on, by `performance.now()`. */
  private finishBy = 0;
  private sweepDueAt = 0;
  private failures = 0;
  private rouse: () => void = () => {};

  constructor(private readonly options: OutboxRelayOptions) {
    this.publisher = new RelayPublisher(options.log, options.source.events);
    this.restatement = new CompactedRepublisher(options.source, options.restateAfterMs);
    this.sweepIntervalMs = options.sweepIntervalMs ?? DEFAULT_SWEEP_INTERVAL_MS;
  }

  /** The shards it works on now. */
  get shards(): readonly number[] {
    return this.session?.held ?? [];
  }

  /** How often in a row it failed; 0 while all is well. For readiness and alarms. */
  get failuresInARow(): number {
    return this.failures;
  }

  /** Begins to work, or to wait for the database. */
  start(): void {
    if (this.running) return;
    this.stopping = false;
    this.running = this.run();
  }

  /**
   * Finishes the batch in hand and, for at most `finishMs`, what else was committed by now; then gives its shards up. What is
   * left is published by another relay, or after the next start.
   */
  async stop({ finishMs = 0 }: { finishMs?: number } = {}): Promise<void> {
    this.finishBy = performance.now() + finishMs;
    this.stopping = true;
    this.rouse();
    await this.running;
    this.running = undefined;
  }

  private get over(): boolean {
    return this.stopping && ((this.caughtUp && !this.rung) || performance.now() >= this.finishBy);
  }

  private async run(): Promise<void> {
    const stopListening = this.options.source.doorbell.listen((shard) => this.hear(shard));
    while (!this.stopping) {
      try {
        await this.work();
      } catch (error) {
        this.failures++;
        logger.warn(`${this.options.source.name} is not published (failure ${this.failures} in a row): ${reasonOf(error)}`);
        await this.pause(backOffMs(this.failures), () => this.stopping);
      }
    }
    stopListening();
  }

  /** Works on one connection until something fails or it is stopped. */
  private async work(): Promise<void> {
    const { database, source, batchIntervalMs = 0 } = this.options;
    const limits = source.limits ?? SHARD_LIMITS;
    const { restatement } = this;
    this.sweepDueAt = 0;
    this.caughtUp = false;
    const session = await RelaySession.open(database, source, (free) => {
      if (free) this.sweepDueAt = 0;
      this.wake();
    });
    this.session = session;
    try {
      while (!this.over) {
        if (performance.now() >= this.sweepDueAt) {
          this.sweepDueAt = performance.now() + this.sweepIntervalMs;
          if (await session.takeFreeShards()) restatement.begin();
        }
        this.rung = false;
        const beganAt = performance.now();
        const batch = await session.read(limits);
        this.caughtUp = batch.length === 0;
        if (batch.length > 0) {
          const behind = session.places;
          await this.publisher.publish(batch);
          await session.advance(batch);
          restatement.note(behind, session.places);
        }
        if (performance.now() >= restatement.dueAt || this.stopping) {
          await restatement.say(session, limits, (events) => this.publisher.publishAgain(events));
        }
        this.failures = 0;
        const nextAt = Math.min(this.sweepDueAt, restatement.dueAt);
        if (this.caughtUp) await this.pause(nextAt - performance.now(), () => this.rung || this.stopping);
        else await this.pause(beganAt + batchIntervalMs - performance.now(), () => this.stopping);
      }
    } finally {
      this.session = undefined;
      await session.close();
    }
  }

  private hear(shard: number): boolean {
    if (!this.session?.holds(shard)) return false;
    this.wake();
    return true;
  }

  private wake(): void {
    this.rung = true;
    this.rouse();
  }

  /** Waits, but not when, and not longer than until, `done`. */
  private async pause(ms: number, done: () => boolean): Promise<void> {
    if (done() || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.rouse = () => {
        if (!done()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.rouse = () => {};
  }
}

/** Doubles, with jitter, so that relays of several processes do not come back together. */
function backOffMs(failures: number): number {
  return Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** Math.min(failures - 1, 16)) * (0.5 + Math.random() / 2);
}
