import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '@tidings/contracts/core/duration';
import { Sweeper } from '@tidings/jobs/sweeper';
import { Database } from '@tidings/persistence/database';
import { orIfMissingTable } from '@tidings/persistence/errors';
import { claimParked, nextParkedMs, unparkEvents } from './event-store';
import { countEvents, ProviderEvents } from './provider-events';

/** How long an event waits for its message. */
const PARKED_MS_MAX = 10 * MINUTE_MS;
const WAIT_MS_MAX = MINUTE_MS;
/** For those of a process that ended. */
const INTERVAL_MS = MINUTE_MS;
const BATCH_MAX = 200;

/** Applies parked events once their message is stored, and drops those whose message is not stored in time. */
@Injectable()
export class ParkedEvents extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly events: ProviderEvents,
  ) {
    super({ queue: 'messaging.parked_provider_events', what: 'Applying parked events of providers', intervalMs: INTERVAL_MS });
  }

  protected async step(): Promise<boolean> {
    const limits = { limit: BATCH_MAX, waitMsMax: WAIT_MS_MAX, lateMs: PARKED_MS_MAX };
    const claimed = await orIfMissingTable(claimParked(this.database, limits), []);
    const late = new Set(claimed.flatMap(({ event, isLate }) => (isLate ? [event] : [])));
    const all = claimed.map(({ event }) => event);
    await this.events.apply(all, async (tx, early) => {
      const waiting = new Set(early.filter((event) => !late.has(event)));
      const dropped = early.filter((event) => late.has(event));
      await unparkEvents(
        tx,
        all.filter((event) => !waiting.has(event)),
      );
      tx.afterCommit(() => countEvents(dropped, 'dropped'));
    });
    if (claimed.length === BATCH_MAX) return true;
    const waitMs = await orIfMissingTable(nextParkedMs(this.database), undefined);
    if (waitMs !== undefined) this.wake(waitMs);
    return false;
  }
}
