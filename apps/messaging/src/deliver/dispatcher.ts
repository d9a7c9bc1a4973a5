import { Injectable, Logger } from '@nestjs/common';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { BatchSize } from '@tidings/jobs/batch-size';
import { DuePoller } from '@tidings/jobs/due-poller';
import { LeaseRenewer } from '@tidings/jobs/lease-renewer';
import { ownerName } from '@tidings/jobs/round-robin';
import { WorkTimes } from '@tidings/jobs/work-times';
import { Database } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { Timers } from '@tidings/runtime/timers';
import { type AttemptKey, DeliveryLeases, type LeasedRow, renewLeases } from '../record/delivery-store';
import { type LoadedBases, RenderingBases } from '../record/rendering-bases';
import { laneNumber, LEASE_MS } from '../record/step-store';
import { type FoundSuppressions, isSuppression } from '../suppressions/found-suppressions';
import { Suppressions } from '../suppressions/suppressions';
import { conclude, keyOf, suppressed, unprocessable } from './conclude';
import { type LeasedDelivery, logFields, toLeasedDelivery } from './leased-delivery';
import { deliveryMetrics, ProviderCalls } from './provider-calls';
import { OutcomeWriter } from './outcome-writer';
import { addressesOf, withoutSuppressed } from './without-suppressed';
import { UnstoredMessage, type UnstoredStep } from './unstored-message';
import { ENOUGH_PERMITS, FairSemaphore, FEW_PERMITS_WAIT_MS } from './fair-semaphore';

/** Attempts this process has open at once: few enough that a crash repeats few calls, enough to use every connection. */
export const OPEN_ATTEMPTS_MAX = 128;
/** How long a poll waits for a free permit. */
const POLL_WAIT_MS = 1_000;
/** How long messages wait for permits before their deliveries are left to the lease query. */
const PERMIT_WAIT_MS = 250;
/** While rows are due for owners at their limit, the next poll comes with the end of a call, or after this long. */
const FULL_POLL_MS = 500;

/** The owner of a permit. */
type DeliverySource = Pick<LeasedDelivery, 'workspaceId'> & Partial<Pick<LeasedDelivery, 'lane'>>;

/**
 * Calls the providers of deliveries. Fresh deliveries arrive from routing with their first attempt open; waiting and orphaned ones are
 * leased from the table when they are due. An idle process sends no queries.
 */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger(Dispatcher.name);
  private readonly permits = new FairSemaphore(OPEN_ATTEMPTS_MAX, this.timers);
  private readonly leased = new Map<string, Promise<void>>();
  private readonly leases = new DeliveryLeases(this.database);
  private readonly batch = new BatchSize(OPEN_ATTEMPTS_MAX, this.timers);
  private readonly poller = new DuePoller(this.times, 'Polling for due deliveries', () => this.leaseAllDue(), this.timers, this.leases);
  private readonly renewer = new LeaseRenewer<AttemptKey>(
    { renew: (attempts) => renewLeases(this.database, attempts) },
    this.times,
    this.timers,
  );
  /** When the last poll ended, rows were due whose owners had no permit left. */
  private hasWaiting = false;
  /** Messages that `countRepeated` may still count, and when it last did. */
  private uncounted = OPEN_ATTEMPTS_MAX;
  private countedAt = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly calls: ProviderCalls,
    private readonly outcomes: OutcomeWriter,
    private readonly bases: RenderingBases,
    private readonly clock: Clock,
    private readonly times: WorkTimes,
    private readonly timers: Timers,
    private readonly suppressions: Suppressions,
  ) {}

  /** Starts polling, which leases what an earlier process left. */
  start(): void {
    this.poller.scheduleIn(0);
  }

  /** Whether a fresh delivery got a permit. A caller that does not `accept` the delivery must `release` it. */
  reserve(delivery: LeasedDelivery): boolean {
    return !this.poller.isStopped && this.permits.acquire(permitOwner(delivery));
  }

  release(delivery: LeasedDelivery): void {
    this.permits.release(permitOwner(delivery));
  }

  /**
   * Waits for permits: up to `PERMIT_WAIT_MS` for one, `FEW_PERMITS_WAIT_MS` for enough. Resolves with the items that would get one now, if
   * each opened one delivery; with all of them where none would.
   */
  async waitForPermits<Item extends { request: DeliverySource }>(items: readonly Item[], enoughPermits = ENOUGH_PERMITS) {
    const since = this.timers.now();
    const enough = Math.min(items.length, enoughPermits);
    for (;;) {
      // Permits come free one by one: the items are not split again for each.
      while (this.permits.available > 0 && this.permits.available < enough) {
        const waitMs = FEW_PERMITS_WAIT_MS - (this.timers.now() - since);
        if (waitMs <= 0) break;
        await this.permits.whenReleased(waitMs);
      }
      const { fitting, others } = this.splitByPermits(items);
      const isEnough = fitting.length >= enough;
      const waitMs = (fitting.length === 0 ? PERMIT_WAIT_MS : FEW_PERMITS_WAIT_MS) - (this.timers.now() - since);
      if (!isEnough && waitMs > 0) await this.permits.whenReleased(waitMs);
      else return fitting.length > 0 ? { fitting, others } : { fitting: items, others: [] };
    }
  }

  private splitByPermits<Item extends { request: DeliverySource }>(items: readonly Item[]) {
    const leftOf = new Map<string, number>();
    const free = this.poller.isStopped ? 0 : this.permits.available;
    const fitting: Item[] = [];
    const others: Item[] = [];
    for (const item of items) {
      const owner = permitOwner(item.request);
      const left = leftOf.get(owner) ?? this.permits.availableTo(owner);
      const fits = left > 0 && fitting.length < free;
      (fits ? fitting : others).push(item);
      if (fits) leftOf.set(owner, left - 1);
    }
    return { fitting, others };
  }

  /** Starts the call of a delivery whose attempt is open and committed, under a reserved permit. */
  accept(delivery: LeasedDelivery): void {
    const end = this.renewer.startRenewal([keyOf(delivery)]);
    this.leased.set(leaseName(delivery), this.deliver(delivery, { write: (conclusion) => this.outcomes.write(conclusion), end }));
  }

  /** As `accept`, before the message is stored. Resolves when it is; rejects where the database refuses it. */
  acceptUnstored(step: UnstoredStep): Promise<void> {
    const { delivery } = step;
    const message = new UnstoredMessage(step, this.outcomes, () => this.renewer.startRenewal([keyOf(delivery)]), this.timers);
    this.leased.set(leaseName(delivery), this.deliver(delivery, message));
    return message.stored;
  }

  /**
   * Counts messages that were not stored when the process before this one ended, and may have been called by it. It had no more calls than
   * `OPEN_ATTEMPTS_MAX`. The leases of its work end within `LEASE_MS` of each other.
   */
  countRepeated(messages: number): void {
    const now = this.timers.now();
    if (now - this.countedAt > 2 * LEASE_MS) this.uncounted = OPEN_ATTEMPTS_MAX;
    if (messages > 0) this.countedAt = now;
    const counted = Math.min(messages, this.uncounted);
    this.uncounted -= counted;
    if (counted > 0) deliveryMetrics.recovered.inc({}, counted);
  }

  /** Rows were stored that this process has no permits for: it polls, and wakes other processes. */
  takeStored(): void {
    this.scheduleIn(0);
    this.leases.wakeOthers();
  }

  /** Polls in `delayMs` ms, when a row of the table is due. */
  scheduleIn(delayMs: number): void {
    this.poller.scheduleIn(delayMs);
  }

  /** Leases nothing more, waits for the open calls, writes their outcomes. */
  async stop(): Promise<void> {
    await this.poller.stop();
    await Promise.all(this.leased.values());
    await this.outcomes.drain();
    await this.leases.leave();
  }

  /** Never rejects, and always releases the permit. An attempt whose outcome was not written is leased again when its lease ends. */
  private async deliver(delivery: LeasedDelivery, attempt: Pick<UnstoredMessage, 'write' | 'end'>) {
    let dueInMs: number | undefined = LEASE_MS;
    try {
      const conclusion = await this.attempt(delivery);
      await attempt.write(conclusion);
      dueInMs = conclusion.kind === 'final' ? undefined : conclusion.outcome.delay_ms;
    } catch (error) {
      this.logger.error({ err: error, ...logFields(delivery) }, 'Attempt failed unexpectedly; retrying when its lease ends');
    }
    this.leased.delete(leaseName(delivery));
    this.release(delivery);
    attempt.end();
    if (dueInMs !== undefined) this.scheduleIn(dueInMs);
    const available = this.hasWaiting ? this.permits.availableTo(permitOwner(delivery)) : 0;
    if (available > 0) this.scheduleIn(available < ENOUGH_PERMITS ? FEW_PERMITS_WAIT_MS : 0);
  }

  /** Makes the attempt. An unreadable outcome ends the delivery: otherwise every lease would call the provider again. */
  private async attempt(delivery: LeasedDelivery) {
    const startedMs = this.clock.now();
    const outcome = await this.calls.make(delivery);
    const endedMs = this.clock.now();
    try {
      return conclude(delivery, outcome, { startedMs, endedMs }, Math.random(), this.times.firstRetryMs);
    } catch (error) {
      this.logger.error({ err: error, ...logFields(delivery) }, 'Outcome of an attempt cannot be read; ending its delivery');
      return unprocessable(delivery, "The provider's answer cannot be read: it may have delivered", endedMs, delivery.attempt);
    }
  }

  /** Leases due rows as permits come free. Resolves with the ms until the next poll. */
  private async leaseAllDue() {
    for (let isFirst = true; ; isFirst = false) {
      if (this.permits.available === 0) await this.permits.whenReleased(POLL_WAIT_MS);
      if (!isFirst && this.permits.available < ENOUGH_PERMITS) await this.timers.delay(FEW_PERMITS_WAIT_MS);
      if (this.permits.available === 0 || this.poller.isStopped) return this.times.retryMs;
      if (await this.leaseBatch()) break;
    }
    const dueMs = await this.leases.nextDueMs([...this.leased.keys()]);
    this.hasWaiting = dueMs !== undefined && dueMs <= 0 && this.permits.fullOwners().length > 0;
    return this.hasWaiting ? FULL_POLL_MS : dueMs;
  }

  /** Leases one batch; resolves with whether no more rows are due for owners with permits left. */
  private async leaseBatch() {
    const full = this.permits.fullOwners();
    const reserved = this.permits.reserve(Math.min(this.permits.available, this.batch.current));
    let used = 0;
    try {
      const since = this.timers.now();
      const claimed = await this.batch.during(() => this.leases.claim(reserved, [...this.leased.keys()], full));
      const bases = await this.bases.load(claimed.map(({ workspace_id: workspaceId, step_events: events }) => ({ workspaceId, events })));
      const deliveries = claimed.flatMap((row) => this.toDelivery(row, bases) ?? []);
      const found = await this.suppressions.among(deliveries, addressesOf);
      const current = this.timers.now() - since < LEASE_MS / 2 ? deliveries : await this.stillLeased(deliveries);
      for (const delivery of current) if (this.startLeased(delivery, found)) used += 1;
      return claimed.length < reserved;
    } finally {
      this.permits.returnReserved(reserved - used);
    }
  }

  /** Of deliveries whose leases may have ended before they arrived, those that no other process has leased since. */
  private async stillLeased(deliveries: readonly LeasedDelivery[]) {
    const renewed = new Set((await renewLeases(this.database, deliveries.map(keyOf))).map(({ id, leaf }) => `${id}/${leaf}`));
    return deliveries.filter((delivery) => renewed.has(leaseName(delivery)));
  }

  /** The delivery of a row. An inconsistent row ends here: otherwise it would be leased forever. */
  private toDelivery(row: LeasedRow, bases: LoadedBases): LeasedDelivery | undefined {
    try {
      const delivery = toLeasedDelivery(row, bases);
      if (row.orphaned) deliveryMetrics.recovered.inc();
      return delivery;
    } catch (error) {
      const { workspace_id: workspaceId, message_id: uuid, attempt } = row;
      const stored = { ...row, workspaceId, uuid, messageId: uuidToMessageId(uuid), alias: row.alias ?? undefined };
      this.logger.error({ err: error, ...logFields(stored) }, 'Stored delivery is inconsistent; ending it');
      void this.outcomes.write(unprocessable(stored, 'Stored delivery is inconsistent', this.clock.now(), attempt - 1));
      return undefined;
    }
  }

  /** Whether the delivery was started: it ends where its address was suppressed since it was routed. */
  private startLeased(delivery: LeasedDelivery, found: FoundSuppressions) {
    const left = withoutSuppressed(delivery, found);
    if (isSuppression(left)) {
      void this.outcomes.write(suppressed(delivery, left, this.clock.now(), delivery.attempt - 1));
      return false;
    }
    this.permits.assign(permitOwner(delivery));
    this.accept(left);
    return true;
  }
}

function permitOwner({ workspaceId, lane = 'normal' }: DeliverySource) {
  return ownerName({ workspaceId, lane: laneNumber(lane) });
}

function leaseName({ uuid, leaf }: LeasedDelivery) {
  return `${uuid}/${leaf}`;
}
