import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { accessChanged } from '@tidings/contracts/identity/keys';
import type { BroadcastSubscription, EventLog } from '@tidings/events/event-log';

/** Above this silence of the broadcast, in ms, a revocation may have been missed: nothing remembered is believed. */
const INTERRUPTED_MS_MAX = 1_000;

/** Hears which keys were made, changed or revoked, for everybody here who remembers something of them. */
export class AccessChanges implements OnModuleInit, OnModuleDestroy {
  private readonly listeners: ((name: string) => void)[] = [];
  private heard = 0;
  private subscription: BroadcastSubscription | undefined;

  constructor(private readonly events: EventLog) {}

  /** Begins to listen. Until then nothing may be remembered. */
  async onModuleInit(): Promise<void> {
    this.subscription = await this.events.broadcast(accessChanged, ({ key }) => {
      this.heard += 1;
      for (const listener of this.listeners) listener(key);
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
  }

  /** Has `listener` told the name (`keyName`) of every key that changes from now on. */
  onChange(listener: (name: string) => void): void {
    this.listeners.push(listener);
  }

  /** How many changes were heard of. An answer that a change overtook may be older than the change. */
  get count(): number {
    return this.heard;
  }

  /** Whether a change would be heard of now. */
  areHeard(): boolean {
    return this.subscription !== undefined && this.subscription.interruptedForMs() <= INTERRUPTED_MS_MAX;
  }
}
