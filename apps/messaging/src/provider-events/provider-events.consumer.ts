import { Inject, Injectable } from '@nestjs/common';
import { providerEventReported } from '@tidings/contracts/messaging/provider-events';
import type { EventLog, Subscription } from '@tidings/events/event-log';
import { ConsumerPositions } from '@tidings/persistence/consumer-positions';
import { EVENT_LOG } from '@tidings/runtime/resources.module';
import { PARKED_MS_MIN, parkEvents } from './event-store';
import { ParkedEvents } from './parked-events';
import { countEvents, ProviderEvents } from './provider-events';

/** The group that applies what providers report. */
const GROUP = 'tidings.messaging.provider-events';
const BATCH_MAX = 200;

/** Consumes what providers report. */
@Injectable()
export class ProviderEventsConsumer {
  private subscription: Subscription | undefined;

  constructor(
    @Inject(EVENT_LOG) private readonly events: EventLog,
    private readonly provided: ProviderEvents,
    private readonly parked: ParkedEvents,
    private readonly positions: ConsumerPositions,
  ) {}

  async start(): Promise<void> {
    const options = { group: GROUP, maxBatch: BATCH_MAX, positions: this.positions };
    this.subscription = await this.events.consume(providerEventReported, options, async (batch) => {
      const distinct = new Map(batch.flatMap(({ id, payload }) => (payload ? [[id, payload] as const] : [])));
      let hasParked = false;
      await this.provided.apply([...distinct.values()], async (tx, early) => {
        await parkEvents(tx, early);
        hasParked = early.length > 0;
        tx.afterCommit(() => countEvents(early, 'parked'));
      });
      if (hasParked) this.parked.wake(PARKED_MS_MIN);
    });
  }

  async stop(): Promise<void> {
    await this.subscription?.stop();
  }
}
