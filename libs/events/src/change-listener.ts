import type { EventDefinition } from '@tidings/contracts/core/event';
import type { BroadcastSubscription, EventLog, EventRecord } from './event-log';

/** Above this silence of the broadcast, in ms, a change may have been missed: nothing remembered is believed. */
const INTERRUPTED_MS_MAX = 1_000;

/** Hears what changed elsewhere, for everybody in this process who remembers something of it. */
export class ChangeListener<Payload extends { workspaceId: string }> {
  private readonly listeners: ((record: EventRecord<Payload>) => void)[] = [];
  private heard = 0;
  private subscription: BroadcastSubscription | undefined;

  constructor(
    private readonly events: EventLog,
    private readonly event: EventDefinition<Payload>,
  ) {}

  /** Begins to listen. Until then nothing may be remembered. */
  async onModuleInit(): Promise<void> {
    this.subscription = await this.events.broadcast(this.event, (record) => {
      this.heard += 1;
      for (const listener of this.listeners) listener(record);
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
  }

  /** Has `listener` told of every change from now on. */
  onChange(listener: (record: EventRecord<Payload>) => void): void {
    this.listeners.push(listener);
  }

  /** How many changes were heard of. An answer that a change overtook may be older than the change. */
  get count(): number {
    return this.heard;
  }

  /** Whether a change would be heard of now. */
  isConnected(): boolean {
    return this.subscription !== undefined && this.subscription.interruptedForMs() <= INTERRUPTED_MS_MAX;
  }
}
