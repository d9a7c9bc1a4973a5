import type { AnyEventDefinition, AppendLog, SourcedEvent } from './relay-source';

/** Limits of one append to a topic; the position that exceeds one is still part of it. */
const APPEND_EVENTS_MAX = 1_000;
const APPEND_BYTES_MAX = 4_000_000;

/** Appends the batches of one relay to their topics. */
export class RelayPublisher {
  private readonly definitions: ReadonlyMap<string, AnyEventDefinition>;
  /** Positions appended for a batch of which another topic failed, by shard and topic. */
  private readonly appended = new Map<string, bigint>();

  constructor(
    private readonly log: AppendLog,
    events: readonly AnyEventDefinition[],
  ) {
    this.definitions = new Map(events.map((event) => [event.topic, event]));
  }

  /**
   * Resolves when every event is durable. Topics are independent: when one fails, the others are finished before the call
   * rejects, and a retry of the batch skips what they have appended.
   */
  async publish(batch: readonly SourcedEvent[]): Promise<void> {
    const topics = new Map<string, SourcedEvent[]>();
    for (const event of batch) {
      if (BigInt(event.position) <= (this.appended.get(streamOf(event)) ?? -1n)) continue;
      const events = topics.get(event.topic);
      if (events) events.push(event);
      else topics.set(event.topic, [event]);
    }
    const outcomes = await Promise.allSettled([...topics].map(([topic, events]) => this.append(topic, events)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    this.appended.clear();
  }

  /** Appends events that their topics may contain already. */
  async publishAgain(events: readonly SourcedEvent[]): Promise<void> {
    this.appended.clear();
    await this.publish(events);
  }

  private async append(topic: string, events: readonly SourcedEvent[]) {
    const definition = this.definitions.get(topic);
    if (!definition) throw new Error(`Topic ${topic} has no event definition in this process`);
    // In order: consumers would drop a part that is appended after a later one.
    for (const part of partsOf(events)) {
      await this.log.append(
        definition,
        part.map(({ id, key, payload, sequence }) => ({ id, key, payload, sequence })),
      );
      for (const event of part) this.appended.set(streamOf(event), BigInt(event.position));
    }
  }
}

const streamOf = ({ shard, topic }: SourcedEvent) => `${shard} ${topic}`;

/** Splits a topic's events into appends, never between events of one position. */
function partsOf(events: readonly SourcedEvent[]) {
  const parts: SourcedEvent[][] = [];
  let part: SourcedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const last = part.at(-1);
    const full = part.length >= APPEND_EVENTS_MAX || bytes >= APPEND_BYTES_MAX;
    if (last && full && (last.position !== event.position || last.shard !== event.shard)) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(event);
    bytes += event.bytes;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
