import type { EventDefinition } from '@tidings/contracts/core/event';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { DeadLetters } from '@tidings/events/dead-letters';
import type {
  AppendLoad,
  BroadcastSubscription,
  EventLog,
  EventRecord,
  LogErasure,
  NewEvent,
  Subscription,
} from '@tidings/events/event-log';
import type { EncodedEvent } from '@tidings/events/new-event';

type Listener = (record: EventRecord<object>) => void;

/** A fake event log: stores appended records, calls listeners synchronously, and fails on request. */
export class MemoryEventLog implements EventLog {
  readonly appended: { topic: string; id: string; payload: unknown }[] = [];
  /** Thrown by `append` while set. */
  failure: ServiceError | undefined;
  /** `interruptedForMs` of every subscription. */
  interruptedMs = 0;
  readonly isSigned = false;
  /** Records that were put back. */
  readonly putBack: { topic: string; record: EncodedEvent }[] = [];
  readonly deadLetters: DeadLetters = {
    page: () => Promise.resolve([]),
    count: () => Promise.resolve(0),
    last: () => Promise.resolve(undefined),
    find: () => Promise.resolve([]),
    remove: () => Promise.resolve(),
    putBack: ({ topic }, originals) => {
      if (this.failure) return Promise.reject(this.failure);
      this.putBack.push(...originals.map((record) => ({ topic, record })));
      return Promise.resolve();
    },
  };
  private readonly missedListeners: (() => void)[] = [];
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
    onMissed = () => {},
  ): Promise<BroadcastSubscription> {
    const listeners = this.listeners.get(event.topic) ?? new Set();
    this.listeners.set(event.topic, listeners.add(handler as Listener));
    this.missedListeners.push(onMissed);
    return Promise.resolve({
      interruptedForMs: () => this.interruptedMs,
      stop: () => {
        listeners.delete(handler as Listener);
        return Promise.resolve();
      },
    });
  }

  /** As when a record of each topic is signed with an unknown key. */
  missRecords(): void {
    for (const listener of this.missedListeners) listener();
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
