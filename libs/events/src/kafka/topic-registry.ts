import type { Kafka } from 'kafkajs';
import { deadTopicOf, type Topic } from '../topic';
import { ensureTopics, type TopicSpecification } from '@tidings/kafka/topics';

/** Enough for a dozen members of a group, few enough for one member that reads them all. */
const PARTITIONS = 12;
/** Dead letters are few, and are listed in one order. */
const DEAD_PARTITIONS = 1;

/** A topic that exists in the cluster. */
export interface ExistingTopic {
  /** Without its prefix. */
  type: string;
  /** With its prefix. */
  topic: string;
  partitions: number;
}

/** The topics an instance has used; each is looked up once, created when missing and checked when it exists. */
export class TopicRegistry {
  private readonly topics = new Map<string, Promise<ExistingTopic>>();

  constructor(
    private readonly kafka: Kafka,
    private readonly prefix: string,
  ) {}

  /** @throws ServiceError `unavailable`; `UnfitTopic` when it would lose or refuse records. The next call looks it up again. */
  of(topic: Topic): Promise<ExistingTopic> {
    return this.lookUp({ ...this.lasting(topic), compacted: topic.compacted, partitions: PARTITIONS }, topic.topic);
  }

  /** Compacted: a tombstone under a dead letter's key removes it. */
  deadOf(topic: Topic): Promise<ExistingTopic> {
    const dead = deadTopicOf(topic);
    return this.lookUp({ ...this.lasting(dead), compacted: true, partitions: DEAD_PARTITIONS }, dead.topic);
  }

  /** Resolves when no look-up is in flight. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.topics.values());
  }

  private lasting({ topic, retentionMs }: Topic): Pick<TopicSpecification, 'topic' | 'retentionMs' | 'lasting'> {
    return { topic: `${this.prefix}${topic}`, retentionMs, lasting: true };
  }

  private lookUp(specification: TopicSpecification, type: string): Promise<ExistingTopic> {
    const { topic } = specification;
    const existing = this.topics.get(topic);
    if (existing) return existing;
    const found = ensureTopics(this.kafka, [specification]).then((partitions) => ({ type, topic, partitions: partitions.get(topic)! }));
    this.topics.set(topic, found);
    found.catch(() => this.topics.delete(topic));
    return found;
  }
}
