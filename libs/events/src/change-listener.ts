import type { EventDefinition } from '@tidings/contracts/core/event';
import type { BroadcastSubscription, EventLog, EventRecord } from './event-log';

/** After a longer interruption of the broadcast, in ms, a change may have been missed: caches must not be used. */
const INTERRUPTED_MS_MAX = 1_000;

/** A change of which caches are informed. */
type Change<Payload extends object> = Pick<EventRecord<Payload>, 'key' | 'payload'>;
type Listener<Payload extends object> = (change: Change<Payload>) => void;

/** Receives an event's broadcast for the caches of this process. */
export class ChangeListener<Payload extends { workspaceId: string }> {
  private readonly listeners: Listener<Payload>[] = [];
  private readonly missedListeners: (() => void)[] = [];
  private received = 0;
  private subscription: BroadcastSubscription | undefined;

  constructor(
    private readonly events: EventLog,
    private readonly event: EventDefinition<Payload>,
  ) {}

  /** Subscribes. Nothing may be cached before. */
  async onModuleInit(): Promise<void> {
    const onMissed = () => {
      this.received += 1;
      for (const listener of this.missedListeners) listener();
    };
    this.subscription = await this.events.broadcast(this.event, (record) => this.apply(record), onMissed);
  }

  async onModuleDestroy(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
  }

  /** Calls `listener` for every change from now on. */
  onChange(listener: Listener<Payload>): void {
    this.listeners.push(listener);
  }

  /** Calls `listener` when a change cannot be read, since its key is unknown: nothing that is cached may be used any more. */
  onMissed(listener: () => void): void {
    this.missedListeners.push(listener);
  }

  /** Informs the listeners of a change that this process has committed: its event arrives later. */
  protected committed(payload: Payload): void {
    this.apply({ key: this.event.keyOf(payload), payload });
  }

  private apply(change: Change<Payload>) {
    this.received += 1;
    for (const listener of this.listeners) listener(change);
  }

  /** How many changes were received, unreadable ones included. An answer requested before the latest of them may be older than it. */
  get count(): number {
    return this.received;
  }

  /** Whether a change would be received now. */
  isConnected(): boolean {
    return this.subscription !== undefined && this.subscription.interruptedForMs() <= INTERRUPTED_MS_MAX;
  }
}
