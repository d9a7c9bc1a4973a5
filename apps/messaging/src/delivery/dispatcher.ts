import { Injectable, Logger } from '@nestjs/common';
import type { EmailRecipient, RenderedEmail } from '@tidings/providers/email';
import type { Outcome, Provider } from '@tidings/providers/provider';
import { Database } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { type AttemptKey, renewLeases } from '../store/outcome-store';
import { leaseDue, type LeasedRow, nextDueMs } from '../store/lease-store';
import { LEASE_MS } from '../store/routed-store';
import { conclude, unreadable } from './conclude';
import type { HeldDelivery } from './delivery';
import { toHeldDelivery } from './leased-delivery';
import { deliveryMetrics } from './metrics';
import { OutcomeWriter } from './outcome-writer';
import { Places } from './places';
import { Providers } from './providers';

/** Attempts this process has open at once: few enough that a crash repeats few calls, enough to keep every connection busy. */
export const OPEN_ATTEMPTS_MAX = 128;
/** Leases are renewed well before they end. */
const RENEW_MS = LEASE_MS / 3;
/** An attempt this young needs no renewal yet. */
const RENEW_AGE_MS = RENEW_MS;
/** The due table is looked at again after this long at the latest, for rows of a process that died without a word. */
const LOOK_MS_MAX = 60_000;
/** How long a look waits for room. */
const PLACE_WAIT_MS = 1_000;
/** Troubles of a provider come in floods. */
const TELL_INTERVAL_MS = 10_000;
/** After a look that failed, or found no room. */
const RETRY_LOOK_MS = 500;

/**
 * Carries deliveries to providers. Fresh ones arrive from the router with their first attempt open; what waits or was
 * orphaned is leased from the table when it is due. Sleeps until then: an idle process asks nothing.
 */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger(Dispatcher.name);
  private readonly places = new Places(OPEN_ATTEMPTS_MAX);
  private readonly held = new Map<string, { delivery: HeldDelivery; since: number; done: Promise<void> }>();
  private lookTimer: NodeJS.Timeout | undefined;
  private lookAt = Infinity;
  private looking: Promise<void> | undefined;
  /** Something became due while we looked. */
  private lookAgain = false;
  private renewTimer: NodeJS.Timeout | undefined;
  private stopped = false;
  private tellAgainAt = 0;

  constructor(
    private readonly database: Database,
    private readonly providers: Providers,
    private readonly outcomes: OutcomeWriter,
    private readonly clock: Clock,
  ) {}

  /** Takes up what an earlier process left behind. */
  start(): void {
    this.wakeIn(0);
  }

  /** Room for up to `wanted` fresh deliveries; waits up to `waitMs` for some. What is not used must be released. */
  reserve(wanted: number, waitMs: number): Promise<number> {
    return this.stopped ? Promise.resolve(0) : this.places.reserve(wanted, waitMs);
  }

  release(places: number): void {
    this.places.release(places);
  }

  /** Takes over a delivery whose attempt is open and committed, on a reserved place. */
  accept(delivery: HeldDelivery): void {
    const done = this.deliver(delivery);
    this.held.set(delivery.uuid, { delivery, since: performance.now(), done });
    this.renewTimer ??= setInterval(() => void this.renew(), RENEW_MS).unref();
  }

  /** Something in the table is due in `delayMs` ms. */
  wakeIn(delayMs: number): void {
    if (this.stopped) return;
    const at = performance.now() + delayMs;
    if (at >= this.lookAt) return;
    clearTimeout(this.lookTimer);
    this.lookAt = at;
    this.lookTimer = setTimeout(() => this.look(), Math.max(delayMs, 0));
  }

  /** Leases nothing more, waits for the calls on the wire, writes their outcomes. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.lookTimer);
    await this.looking;
    await Promise.all([...this.held.values()].map(({ done }) => done));
    await this.outcomes.drain();
    clearInterval(this.renewTimer);
  }

  private async deliver(delivery: HeldDelivery): Promise<void> {
    const provider = this.providers.get(delivery.provider);
    const outcome = provider ? await this.call(provider, delivery) : removed(delivery);
    deliveryMetrics.attempts.inc({ provider: delivery.provider, outcome: outcome.kind });
    if (outcome.kind !== 'accepted') this.tell(delivery, outcome);
    const conclusion = conclude(delivery, outcome, this.clock.now(), Math.random());
    await this.outcomes.write(conclusion);
    this.held.delete(delivery.uuid);
    this.places.release(1);
    if (this.held.size === 0) {
      clearInterval(this.renewTimer);
      this.renewTimer = undefined;
    }
    if (conclusion.kind === 'retry') this.wakeIn(conclusion.outcome.delay_ms);
  }

  private async call(provider: Provider<RenderedEmail, EmailRecipient>, delivery: HeldDelivery): Promise<Outcome> {
    const { messageId, attempt, leaf, recipient, email, renderedAt } = delivery;
    try {
      return await provider.send(email, recipient, {
        messageId,
        idempotencyKey: `${messageId}.${leaf}`,
        number: attempt,
        renderedAt: new Date(renderedAt),
      });
    } catch (error) {
      this.logger.error({ err: error, messageId }, `Provider ${provider.key} threw`);
      return { kind: 'retry', error: `Provider ${provider.key} failed unexpectedly` };
    }
  }

  /** Says what keeps mails from leaving, not for each of them. */
  private tell({ provider, messageId }: HeldDelivery, outcome: Exclude<Outcome, { kind: 'accepted' }>): void {
    if (outcome.kind === 'failed' && outcome.cause !== 'configuration') return;
    const now = performance.now();
    if (now < this.tellAgainAt) return;
    this.tellAgainAt = now + TELL_INTERVAL_MS;
    const message = outcome.kind === 'retry' ? 'A delivery failed and is tried again' : 'A delivery failed: the provider must be looked at';
    this.logger.warn({ message: `${message} (said at most every ${TELL_INTERVAL_MS / 1000} s): ${outcome.error}`, provider, messageId });
  }

  private look(): void {
    this.lookAt = Infinity;
    if (this.looking) {
      this.lookAgain = true;
      return;
    }
    this.lookAgain = false;
    this.looking = this.leaseAllDue().then((waitMs) => {
      this.looking = undefined;
      this.wakeIn(this.lookAgain ? 0 : waitMs);
    });
  }

  /**
   * Leases what is due, as room comes free: in turn with the router, so that what waits is not overtaken for ever. Resolves with
   * the ms until the next look.
   */
  private async leaseAllDue(): Promise<number> {
    try {
      for (;;) {
        const free = await this.places.reserve(OPEN_ATTEMPTS_MAX, PLACE_WAIT_MS);
        if (this.stopped) this.places.release(free);
        if (free === 0 || this.stopped) return RETRY_LOOK_MS;
        if ((await this.lease(free)) < free) break;
      }
      const waitMs = await nextDueMs(this.database, [...this.held.keys()]);
      return Math.min(waitMs ?? LOOK_MS_MAX, LOOK_MS_MAX);
    } catch (error) {
      this.logger.warn(`Cannot look for due deliveries now: ${String(error)}`);
      return RETRY_LOOK_MS;
    }
  }

  private async lease(free: number): Promise<number> {
    let used = 0;
    try {
      const rows = await leaseDue(this.database, [...this.held.keys()], free);
      for (const row of rows) if (this.takeUp(row)) used += 1;
      return rows.length;
    } finally {
      this.places.release(free - used);
    }
  }

  /** Whether the row became a delivery. One that cannot be read ends here, or it would be leased for ever. */
  private takeUp(row: LeasedRow): boolean {
    let delivery: HeldDelivery;
    try {
      delivery = toHeldDelivery(row);
    } catch (error) {
      const { workspace_id, message_id: id, leaf, attempt, channel, provider } = row;
      this.logger.error({ err: error, messageId: id }, 'A delivery cannot be read');
      void this.outcomes.write(unreadable({ workspace_id, id, leaf, attempt }, channel, provider, String(error), this.clock.now()));
      return false;
    }
    if (row.orphaned) deliveryMetrics.recovered.inc();
    this.accept(delivery);
    return true;
  }

  private async renew(): Promise<void> {
    const before = performance.now() - RENEW_AGE_MS;
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

function removed({ provider }: HeldDelivery): Outcome {
  return { kind: 'failed', cause: 'configuration', reason: 'PROVIDER_ERROR', error: `Provider ${provider} is not configured any more` };
}
