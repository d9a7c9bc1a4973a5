import { Logger } from '@nestjs/common';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './database';
import { reasonOf } from './errors';
import { RelayPublisher } from './relay-publisher';
import { type AppendLog, type RelaySource, SHARD_LIMITS } from './relay-source';
import { RelaySession } from './relay-session';
import { CompactedRepublisher } from './compacted-republisher';

const logger = new Logger('OutboxRelay');

/** Interval of polling without a notification: for shards whose relay died, and for lost notifications. */
const DEFAULT_SWEEP_INTERVAL_MS = 5_000;
const BACKOFF_MS_MIN = 100;
const BACKOFF_MS_MAX = 5_000;

export interface OutboxRelayOptions {
  database: Database;
  source: RelaySource;
  log: AppendLog;
  /** How long a commit without notification may wait, in ms. Default 5 s. */
  sweepIntervalMs?: number;
  /** Shortest interval between batches, in ms: larger batches under load. After a pause a batch is sent at once. Default 0. */
  batchIntervalMs?: number;
  /** When the first batch's records of compacted topics are republished, in ms; see `CompactedRepublisher`. Default 5 s. */
  republishAfterMs?: number;
}

/**
 * Publishes the events of a source, in order within each shard, at least once. Any number of relays may run: one at a time owns
 * a shard, and a former owner that finishes late repeats events but neither loses nor reorders any.
 * An idle relay only sweeps; a commit notification of its own or another process wakes it at once.
 */
export class OutboxRelay {
  private readonly publisher = new RelayPublisher(this.options.log, this.options.source.events);
  private readonly republisher = new CompactedRepublisher(this.options.source, this.options.republishAfterMs);
  private session?: RelaySession;
  private running?: Promise<void>;
  private stopping = false;
  private isNotified = false;
  /** The last poll found no events. */
  private caughtUp = false;
  /** When a stopping relay ends at the latest, by `performance.now()`. */
  private finishBy = 0;
  private sweepDueAt = 0;
  private failures = 0;
  private endPause: () => void = () => {};

  constructor(private readonly options: OutboxRelayOptions) {}

  /** The shards this relay owns now. */
  get shards(): readonly number[] {
    return this.session?.shards ?? [];
  }

  /** Consecutive failures; 0 after a success. For readiness and alarms. */
  get failuresInARow(): number {
    return this.failures;
  }

  /** Starts publishing, or waiting for the database. */
  start(): void {
    if (this.running) return;
    this.stopping = false;
    this.running = this.run();
  }

  /**
   * Finishes the current batch and, for at most `finishMs`, other committed events; then releases the shards. Another relay, or
   * the next start, publishes the rest.
   */
  async stop({ finishMs = 0 }: { finishMs?: number } = {}): Promise<void> {
    this.finishBy = performance.now() + finishMs;
    this.stopping = true;
    this.endPause();
    await this.running;
    this.running = undefined;
  }

  private get isDone() {
    return this.stopping && ((this.caughtUp && !this.isNotified) || performance.now() >= this.finishBy);
  }

  private async run() {
    const stopListening = this.options.source.notifier.listen((shard) => {
      const isPublishedHere = this.session?.owns(shard) ?? false;
      if (isPublishedHere) this.wake();
      return isPublishedHere;
    });
    while (!this.stopping) {
      try {
        await this.work();
      } catch (error) {
        this.failures++;
        logger.warn(`Publishing ${this.options.source.name} failed; retrying (failure ${this.failures} in a row): ${reasonOf(error)}`);
        await this.pause(retryDelayMs(this.failures, BACKOFF_MS_MAX, BACKOFF_MS_MIN), () => this.stopping);
      }
    }
    stopListening();
  }

  /** Works on one connection until it fails or the relay stops. */
  private async work() {
    const { database, source, batchIntervalMs = 0, sweepIntervalMs = DEFAULT_SWEEP_INTERVAL_MS } = this.options;
    const limits = source.limits ?? SHARD_LIMITS;
    const { republisher } = this;
    this.sweepDueAt = 0;
    this.caughtUp = false;
    const session = await RelaySession.open(database, source, (free) => {
      if (free) this.sweepDueAt = 0;
      this.wake();
    });
    this.session = session;
    try {
      if (this.failures > 0) await session.reconnected();
      while (!this.isDone) {
        if (performance.now() >= this.sweepDueAt) {
          this.sweepDueAt = performance.now() + sweepIntervalMs;
          if (await session.claimFreeShards()) republisher.begin();
        }
        this.isNotified = false;
        const beganAt = performance.now();
        const behind = session.positions;
        const batch = await session.readBehind(behind, limits);
        this.caughtUp = batch.length === 0;
        if (batch.length > 0) {
          await this.publisher.publish(batch);
          await session.advance(batch);
          republisher.note(behind, session.positions);
        }
        if (performance.now() >= republisher.dueAt || this.stopping) {
          await republisher.republish(session, limits, (events) => this.publisher.publishAgain(events));
        }
        this.failures = 0;
        const nextAt = Math.min(this.sweepDueAt, republisher.dueAt);
        if (this.caughtUp) await this.pause(nextAt - performance.now(), () => this.isNotified || this.stopping);
        else await this.pause(beganAt + batchIntervalMs - performance.now(), () => this.stopping);
      }
    } finally {
      this.session = undefined;
      await session.close();
    }
  }

  private wake() {
    this.isNotified = true;
    this.endPause();
  }

  /** Waits `ms`, or until `wake` is called while `done` is true; not at all when it is true already. */
  private async pause(ms: number, done: () => boolean) {
    if (done() || ms <= 0) return;
    const ended = new AbortController();
    this.endPause = () => {
      if (done()) ended.abort();
    };
    await delay(ms, undefined, { signal: ended.signal }).catch(() => {});
  }
}
