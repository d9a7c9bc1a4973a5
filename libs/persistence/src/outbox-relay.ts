import { Logger } from '@nestjs/common';
import type { Database } from './database';
import { reasonOf } from './errors';
import type { AnyEventDefinition, AppendLog, RelaySource, SourcedEvent } from './relay-source';
import { RelaySession } from './relay-session';

const logger = new Logger('OutboxRelay');

/** Most of one shard in a batch; a batch has at most `SHARDS` times as much. */
const SHARD_LIMITS = { events: 250, bytes: 1_000_000 };
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
}

/**
 * Publishes the events of a source, in order within each shard, at least once. Any number of relays may run: each shard is
 * worked on by one at a time, and an old one that finishes late repeats events but loses and moves none.
 * Idle it does nothing but its sweep; it works the moment a commit is rung in its process, or told by another.
 */
export class OutboxRelay {
  private readonly definitions: ReadonlyMap<string, AnyEventDefinition>;
  private readonly sweepIntervalMs: number;
  /** Events of a batch in hand that their topic has taken while another one did not; never more than a batch. */
  private readonly appended = new Set<string>();
  private session: RelaySession | undefined;
  private running: Promise<void> | undefined;
  private stopping = false;
  private rung = false;
  private sweepDueAt = 0;
  private failures = 0;
  private rouse: () => void = () => {};

  constructor(private readonly options: OutboxRelayOptions) {
    this.definitions = new Map(options.source.events.map((event) => [event.topic, event]));
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

  /** Finishes the batch in hand and gives its shards up. What is left is published by another relay, or after the next start. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.rouse();
    await this.running;
    this.running = undefined;
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
    const { database, source } = this.options;
    this.sweepDueAt = 0;
    const session = await RelaySession.open(database, source, (free) => {
      if (free) this.sweepDueAt = 0;
      this.wake();
    });
    this.session = session;
    try {
      while (!this.stopping) {
        if (performance.now() >= this.sweepDueAt) {
          this.sweepDueAt = performance.now() + this.sweepIntervalMs;
          await session.takeFreeShards();
        }
        this.rung = false;
        const batch = await session.read(SHARD_LIMITS);
        if (batch.length > 0) {
          await this.publish(batch);
          await session.advance(batch);
        }
        this.failures = 0;
        if (batch.length === 0) await this.pause(this.sweepDueAt - performance.now(), () => this.rung || this.stopping);
      }
    } finally {
      this.session = undefined;
      await session.close();
    }
  }

  /**
   * Topics are independent of each other: when one fails, the others are finished before anybody tries again, and what they
   * took is remembered, so that a topic that stays away does not make the others repeat themselves.
   */
  private async publish(batch: readonly SourcedEvent[]): Promise<void> {
    const topics = new Map<string, SourcedEvent[]>();
    for (const event of batch) {
      if (this.appended.has(placeOf(event))) continue;
      const events = topics.get(event.topic) ?? [];
      events.push(event);
      topics.set(event.topic, events);
    }
    const outcomes = await Promise.allSettled([...topics].map(([topic, events]) => this.append(topic, events)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    this.appended.clear();
  }

  private async append(topic: string, events: readonly SourcedEvent[]): Promise<void> {
    const definition = this.definitions.get(topic);
    if (!definition) throw new Error(`this process does not know the topic ${topic}`);
    await this.options.log.append(
      definition,
      events.map(({ id, key, payload, sequence }) => ({ id, key, payload, sequence })),
    );
    for (const event of events) this.appended.add(placeOf(event));
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

const placeOf = ({ shard, position }: SourcedEvent): string => `${shard}/${position}`;

/** Doubles, with jitter, so that relays of several processes do not come back together. */
function backOffMs(failures: number): number {
  return Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** Math.min(failures - 1, 16)) * (0.5 + Math.random() / 2);
}
