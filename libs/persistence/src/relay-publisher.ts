import type { AnyEventDefinition, AppendLog, SourcedEvent } from './relay-source';

/** Where one append to a topic ends; the position that passes it is still part of it. */
const APPEND_EVENTS_MAX = 1_000;
const APPEND_BYTES_MAX = 4_000_000;

/** Appends the batches of one relay to their topics. */
export class RelayPublisher {
  private readonly definitions: ReadonlyMap<string, AnyEventDefinition>;
  /** How far topics have taken the shards of a batch in hand of which something else failed: by topic, then shard. */
  private readonly taken = new Map<string, Map<number, string>>();

  constructor(
    private readonly log: AppendLog,
    events: readonly AnyEventDefinition[],
  ) {
    this.definitions = new Map(events.map((event) => [event.topic, event]));
  }

  /**
   * Resolves when every event is durable. Topics are independent of each other: when one fails, the others are finished
   * before anybody tries again, and what they took is remembered, so that a topic that stays away does not make the others
   * repeat themselves.
   */
  async publish(batch: readonly SourcedEvent[]): Promise<void> {
    const topics = new Map<string, SourcedEvent[]>();
    for (const event of batch) {
      if (this.hasTaken(event)) continue;
      const events = topics.get(event.topic);
      if (events) events.push(event);
      else topics.set(event.topic, [event]);
    }
    const outcomes = await Promise.allSettled([...topics].map(([topic, events]) => this.append(topic, events)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    this.taken.clear();
  }

  /** Appends events that their topics may have taken already. */
  async publishAgain(events: readonly SourcedEvent[]): Promise<void> {
    this.taken.clear();
    await this.publish(events);
  }

  private async append(topic: string, events: readonly SourcedEvent[]): Promise<void> {
    const definition = this.definitions.get(topic);
    if (!definition) throw new Error(`this process does not know the topic ${topic}`);
    const taken = this.taken.get(topic) ?? new Map<number, string>();
    this.taken.set(topic, taken);
    // One after the other: a part that came without the one before it would make consumers drop that one later.
    for (const part of partsOf(events)) {
      await this.log.append(
        definition,
        part.map(({ id, key, payload, sequence }) => ({ id, key, payload, sequence })),
      );
      for (const { shard, position } of part) taken.set(shard, position);
    }
  }

  private hasTaken({ topic, shard, position }: SourcedEvent): boolean {
    const last = this.taken.get(topic)?.get(shard);
    return last !== undefined && BigInt(position) <= BigInt(last);
  }
}

/** Cuts what one topic gets into appends, never between events of one position. */
function partsOf(events: readonly SourcedEvent[]): SourcedEvent[][] {
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
