import { Injectable, Logger } from '@nestjs/common';
import { Database } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { type Timer, Timers } from '@tidings/runtime/timers';
import { BatchSize } from '../store/batch-size';
import { ownerName } from '../store/fair-due';
import { DeliveryLeases, type LeasedRow } from '../store/lease-store';
import { type AttemptKey, renewLeases } from '../store/outcome-store';
import { laneNumber } from '../store/step';
import { LEASE_MS } from '../store/step-store';
import { WorkTimes } from '../store/work-times';
import { conclude, type Conclusion, inconclusive, unreadable } from './conclude';
import type { LeasedDelivery } from './delivery';
import { ProviderCalls } from './provider-calls';
import { toHeldDelivery } from './leased-delivery';
import { deliveryMetrics } from './metrics';
import { OutcomeWriter } from './outcome-writer';
import { ENOUGH_PERMITS, FEW_PLACES_WAIT_MS, FairSemaphore } from './fair-semaphore';
import { DuePoller } from './due-poller';

/** Attempts this process has open at once: few enough that a crash repeats few calls, enough to keep every connection busy. */
export const OPEN_ATTEMPTS_MAX = 128;
/** How long a look waits for room. */
const PLACE_WAIT_MS = 1_000;
/** While something is due to owners who may have no more open, the next look comes with the end of a call, or after this long. */
const FULL_LOOK_MS = 500;

/** Who takes a place. */
type DeliverySource = Pick<LeasedDelivery, 'workspaceId'> & Partial<Pick<LeasedDelivery, 'lane'>>;

/**
 * Carries deliveries to providers. Fresh ones arrive from routing with their first attempt open; what waits or was
 * orphaned is leased from the table when it is due. Sleeps until then: an idle process asks nothing.
 */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger(Dispatcher.name);
  private readonly places = new FairSemaphore(OPEN_ATTEMPTS_MAX, this.timers);
  private readonly held = new Map<string, { delivery: LeasedDelivery; since: number; done: Promise<void> }>();
  private readonly leases: DeliveryLeases;
  private readonly batch = new BatchSize(OPEN_ATTEMPTS_MAX, this.timers);
  private readonly waker = new DuePoller(this.times.pollMs, () => this.leaseAllDue(), this.timers);
  private renewTimer: Timer | undefined;
  /** Something was due when the last look ended: its owner had no room. */
  private someWait = false;

  constructor(
    private readonly database: Database,
    private readonly calls: ProviderCalls,
    private readonly outcomes: OutcomeWriter,
    private readonly clock: Clock,
    private readonly times: WorkTimes,
    private readonly timers: Timers,
  ) {
    this.leases = new DeliveryLeases(database);
  }

  /** Takes up what an earlier process left behind. */
  start(): void {
    this.waker.scheduleIn(0);
  }

  /** A place for a fresh delivery, or none; what is not used must be released. */
  reserve(delivery: LeasedDelivery): boolean {
    return !this.waker.isStopped && this.places.take(placeOwner(delivery));
  }

  release(delivery: LeasedDelivery): void {
    this.places.release(placeOwner(delivery));
  }

  /** Which of these would find a place now, if each opened one delivery. */
  splitByRoom<Item>(items: readonly Item[], sourceOf: (item: Item) => DeliverySource): { fitting: Item[]; others: Item[] } {
    const room = new Map<string, number>();
    let free = this.waker.isStopped ? 0 : this.places.room;
    const fitting: Item[] = [];
    const others: Item[] = [];
    for (const item of items) {
      const owner = placeOwner(sourceOf(item));
      const left = room.get(owner) ?? this.places.roomOf(owner);
      const fits = left > 0 && free > 0;
      (fits ? fitting : others).push(item);
      room.set(owner, fits ? left - 1 : left);
      if (fits) free -= 1;
    }
    return { fitting, others };
  }

  /** Resolves when there may be more room, or after `waitMs`. */
  whenRoom(waitMs: number): Promise<void> {
    return this.places.whenReleased(waitMs);
  }

  /** Takes over a delivery whose attempt is open and committed, on a reserved place. */
  accept(delivery: LeasedDelivery): void {
    const done = this.deliver(delivery);
    this.held.set(heldName(delivery), { delivery, since: this.timers.now(), done });
    this.renewTimer ??= this.timers.setInterval(() => void this.renew(), this.times.renewMs).unref();
  }

  /** Something in the table is due in `delayMs` ms. */
  wakeIn(delayMs: number): void {
    this.waker.scheduleIn(delayMs);
  }

  /** Leases nothing more, waits for the calls on the wire, writes their outcomes. */
  async stop(): Promise<void> {
    await this.waker.stop();
    await Promise.all([...this.held.values()].map(({ done }) => done));
    await this.outcomes.drain();
    this.timers.clear(this.renewTimer);
  }

  /** Never rejects. Whatever goes wrong, the place comes free; what was not written is taken up again when its lease is over. */
  private async deliver(delivery: LeasedDelivery): Promise<void> {
    let againInMs: number | undefined = LEASE_MS;
    try {
      const conclusion = await this.attempt(delivery);
      await this.outcomes.write(conclusion);
      againInMs = conclusion.kind === 'final' ? undefined : conclusion.outcome.delay_ms;
    } catch (error) {
      this.logger.error({ err: error, messageId: delivery.messageId }, 'An attempt failed unexpectedly; its lease runs out');
    }
    this.held.delete(heldName(delivery));
    this.release(delivery);
    if (this.held.size === 0) {
      this.timers.clear(this.renewTimer);
      this.renewTimer = undefined;
    }
    if (againInMs !== undefined) this.wakeIn(againInMs);
    const room = this.someWait ? this.places.roomOf(placeOwner(delivery)) : 0;
    if (room > 0) this.wakeIn(room < ENOUGH_PERMITS ? FEW_PLACES_WAIT_MS : 0);
  }

  /** Makes the attempt. One whose outcome cannot be told ends its delivery, or the provider would be called again with every lease. */
  private async attempt(delivery: LeasedDelivery): Promise<Conclusion> {
    const startedMs = this.clock.now();
    const outcome = await this.calls.make(delivery);
    const endedMs = this.clock.now();
    try {
      return conclude(delivery, outcome, { startedMs, endedMs }, Math.random(), this.times.firstRetryMs);
    } catch (error) {
      this.logger.error({ err: error, messageId: delivery.messageId }, 'The outcome of an attempt cannot be told');
      return inconclusive(delivery, endedMs);
    }
  }

  /** Leases what is due, as room comes free. Resolves with the ms until the next look. */
  private async leaseAllDue(): Promise<number> {
    try {
      for (let isFirst = true; ; isFirst = false) {
        if (this.places.room === 0) await this.places.whenReleased(PLACE_WAIT_MS);
        if (!isFirst && this.places.room < ENOUGH_PERMITS) await this.timers.delay(FEW_PLACES_WAIT_MS);
        if (this.places.room === 0 || this.waker.isStopped) return this.times.retryMs;
        if ((await this.lease()) === 'everything') break;
      }
      const dueMs = (await this.leases.nextDueMs([...this.held.keys()])) ?? this.times.pollMs;
      this.someWait = dueMs <= 0 && this.places.fullOwners().length > 0;
      return this.someWait ? FULL_LOOK_MS : dueMs;
    } catch (error) {
      this.logger.warn(`Cannot look for due deliveries now: ${String(error)}`);
      return this.times.retryMs;
    }
  }

  /** Whether everything that is due, and whose owner has room, is under way now. */
  private async lease(): Promise<'everything' | 'some'> {
    const full = this.places.fullOwners();
    const places = this.places.setAside(Math.min(this.places.room, this.batch.current));
    let used = 0;
    try {
      const since = this.timers.now();
      const taken = await this.batch.during(() => this.leases.take(places, [...this.held.keys()], full));
      const rows = this.timers.now() - since < LEASE_MS / 2 ? taken : await this.stillOurs(taken);
      for (const row of rows) if (this.takeUp(row)) used += 1;
      return taken.length < places ? 'everything' : 'some';
    } finally {
      this.places.giveBack(places - used);
    }
  }

  /** Of rows whose leases may have ended before they arrived, those that nobody else took up. */
  private async stillOurs(rows: readonly LeasedRow[]): Promise<LeasedRow[]> {
    const attempts = rows.map(({ workspace_id, message_id: id, leaf, attempt }) => ({ workspace_id, id, leaf, attempt }));
    const kept = new Set((await renewLeases(this.database, attempts)).map(({ id, leaf }) => `${id}/${leaf}`));
    return rows.filter(({ message_id, leaf }) => kept.has(`${message_id}/${leaf}`));
  }

  /** Whether the row became a delivery. One that cannot be read ends here, or it would be leased for ever. */
  private takeUp(row: LeasedRow): boolean {
    let delivery: LeasedDelivery;
    try {
      delivery = toHeldDelivery(row);
    } catch (error) {
      const { workspace_id: workspaceId, message_id: uuid } = row;
      this.logger.error({ err: error, messageId: uuid }, 'A delivery cannot be read');
      void this.outcomes.write(unreadable({ ...row, workspaceId, uuid }, this.clock.now()));
      return false;
    }
    if (row.orphaned) deliveryMetrics.recovered.inc();
    this.places.give(placeOwner(delivery));
    this.accept(delivery);
    return true;
  }

  private async renew(): Promise<void> {
    // A younger attempt needs none yet: well less than between two renewals, or a timer that fires a moment early would leave it out.
    const before = this.timers.now() - this.times.renewMs / 2;
    const attempts: AttemptKey[] = [];
    for (const { delivery, since } of this.held.values()) {
      if (since > before) continue;
      attempts.push({ workspace_id: delivery.workspaceId, id: delivery.uuid, leaf: delivery.leaf, attempt: delivery.attempt });
    }
    try {
      await renewLeases(this.database, attempts);
    } catch (error) {
      this.logger.warn(`Leases of ${attempts.length} attempts could not be renewed: ${String(error)}`);
    }
  }
}

function placeOwner({ workspaceId, lane = 'normal' }: DeliverySource): string {
  return ownerName({ workspaceId, lane: laneNumber(lane) });
}

function heldName({ uuid, leaf }: LeasedDelivery): string {
  return `${uuid}/${leaf}`;
}
