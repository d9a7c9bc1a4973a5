import { randomUUID } from 'node:crypto';
import type { EventDefinition } from '@tidings/contracts/core/event';
import { type HistoryEventRecorded, messageHistory, type MessageStatusRecorded, messageStatus } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageDetails } from '@tidings/contracts/messaging/messages';
import type { EventLog, EventRecord } from '@tidings/events/event-log';

/**
 * Consumers of the topics: each reads from the earliest record; `eventsOf` and `statusOf` drop records that are outdated for their message.
 */
export class TopicReaders {
  readonly history: EventRecord<HistoryEventRecorded>[] = [];
  readonly statuses: EventRecord<MessageStatusRecorded>[] = [];

  static async on(log: EventLog): Promise<TopicReaders> {
    const readers = new TopicReaders();
    await read(log, messageHistory, readers.history);
    await read(log, messageStatus, readers.statuses);
    return readers;
  }

  /** The events of a message without duplicates, by their sequence, as a consumer builds them. */
  eventsOf(messageId: string): HistoryEvent[] {
    let highest = 0n;
    const events: HistoryEvent[] = [];
    for (const { payload, sequence } of this.history) {
      if (payload!.messageId !== messageId || BigInt(sequence!) <= highest) continue;
      highest = BigInt(sequence!);
      events.push(payload!.event);
    }
    return events;
  }

  /** The event number of the message's last record on the compacted topic. */
  statusNumberOf(messageId: string): number | undefined {
    return this.statuses.findLast(({ payload }) => payload!.messageId === messageId)?.payload?.number;
  }

  /** The message's last record on the compacted topic, which is what compaction leaves. */
  statusOf(messageId: string): MessageDetails | undefined {
    return this.statuses.findLast(({ payload }) => payload!.messageId === messageId)?.payload?.message;
  }
}

async function read<Payload extends object>(log: EventLog, event: EventDefinition<Payload>, into: EventRecord<Payload>[]): Promise<void> {
  await log.consume(event, { group: `reader-${randomUUID()}` }, (batch) => Promise.resolve(void into.push(...batch)));
}
