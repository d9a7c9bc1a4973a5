import type { DeadLetterRange, DeadLetters } from '../dead-letters';
import type { EncodedEvent } from '../new-event';
import { deadTopicOf, type Topic } from '../topic';
import { DeadLetterIndex } from './dead-letter-index';
import type { TopicReader } from './read-range';

/** Unauthenticated records that become dead letters: so many in this time, in ms, for a process. */
const UNAUTHENTICATED = { count: 60, intervalMs: 60_000 };
/** Of a topic, as counted within the last 10 s. */
const UNAUTHENTICATED_WAITING_MAX = 1_000;
const COUNT_AGE_MS_MAX = 10_000;

interface KafkaDeadLettersOptions {
  reader: TopicReader;
  topicPrefix: string;
  /** Resolves when the records are durable. */
  append(topic: Topic, encoded: readonly EncodedEvent[]): Promise<void>;
}

/** The dead letters on compacted topics in Kafka. */
export class KafkaDeadLetters implements DeadLetters {
  private readonly indexes = new Map<string, DeadLetterIndex>();
  /** Unauthenticated records that became dead letters since then, by `performance.now()`. */
  private storedSince = -Infinity;
  private stored = 0;

  constructor(private readonly options: KafkaDeadLettersOptions) {}

  page(topic: Topic, range: DeadLetterRange = {}) {
    return this.indexOf(topic).page(range);
  }

  async count(topic: Topic) {
    return (await this.indexOf(topic).waiting()).length;
  }

  async last(topic: Topic) {
    return (await this.indexOf(topic).waiting()).at(-1)?.cursor;
  }

  find(topic: Topic, references: readonly string[]) {
    return this.indexOf(topic).find(references);
  }

  putBack(topic: Topic, originals: readonly EncodedEvent[]) {
    return this.options.append(topic, originals);
  }

  async remove(topic: Topic, references: readonly string[]) {
    const keys = await this.indexOf(topic).keysOf(references);
    const tombstones = keys.map((key) => ({ id: key, key, payload: null }));
    if (keys.length > 0) await this.options.append(deadTopicOf(topic), tombstones);
  }

  /** Whether another record of the topic that none of our processes wrote becomes a dead letter: any client may write any number. */
  async mayStoreUnauthenticated(topic: Topic): Promise<boolean> {
    const now = performance.now();
    if (now - this.storedSince > UNAUTHENTICATED.intervalMs) [this.storedSince, this.stored] = [now, 0];
    this.stored += 1;
    if (this.stored > UNAUTHENTICATED.count) return false;
    return (await this.indexOf(topic).unauthenticatedCount(COUNT_AGE_MS_MAX)) < UNAUTHENTICATED_WAITING_MAX;
  }

  private indexOf(topic: Topic) {
    const { reader, topicPrefix } = this.options;
    let index = this.indexes.get(topic.topic);
    if (!index) {
      index = new DeadLetterIndex(reader, topic, `${topicPrefix}${deadTopicOf(topic).topic}`);
      this.indexes.set(topic.topic, index);
    }
    return index;
  }
}
