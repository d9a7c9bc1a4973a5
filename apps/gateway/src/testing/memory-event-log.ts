import type { EventDefinition } from '@tidings/contracts/core/event';
import { ServiceError } from '@tidings/contracts/core/errors';
import type {
  AppendLoad,
  BroadcastSubscription,
  EventLog,
  EventRecord,
  LogErasure,
  NewEvent,
  Subscription,
} from '@tidings/events/event-log';

type Listener = (record: EventRecord<object>) => void;

/** A fake event log: stores appended records, calls listeners synchronously, and fails on request. */
export class MemoryEventLog implements EventLog {
  readonly appended: { topic: string; id: string; payload: unknown }[] = [];
  /** Thrown by `append` while set. */
  failure: ServiceError | undefined;
  /** `interruptedForMs` of every subscription. */
  interruptedMs = 0;
  private readonly listeners = new Map<string, Set<Listener>>();

  append<Payload extends object>(event: EventDefinition<Payload>, events: readonly NewEvent<Payload>[]): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    for (const { id, payload, key } of events) {
      this.appended.push({ topic: event.topic, id, payload });
      const position = String(this.appended.length);
      const record = { id, key: key ?? event.keyOf(payload!), payload, position, appendedAt: Date.now(), size: 0 };
      for (const listener of this.listeners.get(event.topic) ?? []) listener(record);
    }
    return Promise.resolve();
  }

  consume(): Promise<Subscription> {
    return Promise.reject(new Error('The gateway consumes nothing'));
  }

  broadcast<Payload extends object>(
    event: EventDefinition<Payload>,
    handler: (record: EventRecord<Payload>) => void,
  ): Promise<BroadcastSubscription> {
    const listeners = this.listeners.get(event.topic) ?? new Set();
    this.listeners.set(event.topic, listeners.add(handler as Listener));
    return Promise.resolve({
      interruptedForMs: () => this.interruptedMs,
      stop: () => {
        listeners.delete(handler as Listener);
        return Promise.resolve();
      },
    });
  }

  skipUnverified(): Promise<void> {
    return Promise.resolve();
  }

  erase(): Promise<LogErasure> {
    return Promise.reject(new Error('The gateway erases nothing'));
  }

  ready(): Promise<boolean> {
    return Promise.resolve(!this.failure);
  }

  appendLoad(): AppendLoad {
    return { isBurst: false, isMixed: false };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
