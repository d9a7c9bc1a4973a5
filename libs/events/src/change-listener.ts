import type { EventDefinition } from '@tidings/contracts/core/event';
import type { BroadcastHandler, BroadcastSubscription, EventLog } from './event-log';

/** After a longer interruption of the broadcast, in ms, a change may have been missed: caches must not be used. */
const INTERRUPTED_MS_MAX = 1_000;

/** Receives an event's broadcast for the caches of this process. */
export class ChangeListener<Payload extends { workspaceId: string }> {
  private readonly listeners: BroadcastHandler<Payload>[] = [];
  private received = 0;
  private subscription: BroadcastSubscription | undefined;

  constructor(
    private readonly events: EventLog,
    private readonly event: EventDefinition<Payload>,
  ) {}

  /** Subscribes. Nothing may be cached before. */
  async onModuleInit(): Promise<void> {
    this.subscription = await this.events.broadcast(this.event, (record) => {
      this.received += 1;
      for (const listener of this.listeners) listener(record);
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
  }

  /** Calls `listener` for every change from now on. */
  onChange(listener: BroadcastHandler<Payload>): void {
    this.listeners.push(listener);
  }

  /** How many changes were received. An answer requested before the latest of them may be older than it. */
  get count(): number {
    return this.received;
  }

  /** Whether a change would be received now. */
  isConnected(): boolean {
    return this.subscription !== undefined && this.subscription.interruptedForMs() <= INTERRUPTED_MS_MAX;
  }
}
