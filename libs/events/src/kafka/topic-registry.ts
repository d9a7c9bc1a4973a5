import type { Kafka } from 'kafkajs';
import { deadTopicOf, type Topic } from '../topic';
import { ensureTopics, type TopicSpecification } from './topics';

/** Enough for a dozen members of a group, few enough for a member that reads them all. */
const PARTITIONS = 12;
/** Letters are few, and are listed in one order. */
const DEAD_PARTITIONS = 1;

/** A topic as the cluster knows it. */
export interface KnownTopic {
  /** Without its prefix. */
  type: string;
  /** With its prefix. */
  topic: string;
  partitions: number;
}

/** The topics an instance has used; each is looked up once, made when it is missing and checked when it is there. */
export class TopicRegistry {
  private readonly known = new Map<string, Promise<KnownTopic>>();

  constructor(
    private readonly kafka: Kafka,
    private readonly prefix: string,
  ) {}

  /** @throws ServiceError `unavailable`: UnfitTopic when one that exists would lose or refuse records; it is looked up anew next time. */
  of(topic: Topic): Promise<KnownTopic> {
    return this.lookUp({ ...this.lasting(topic), compacted: topic.compacted, partitions: PARTITIONS }, topic.topic);
  }

  /** Its letters are known by their keys, so that a tombstone removes one. */
  deadOf(topic: Topic): Promise<KnownTopic> {
    const dead = deadTopicOf(topic);
    return this.lookUp({ ...this.lasting(dead), compacted: true, partitions: DEAD_PARTITIONS }, dead.topic);
  }

  /** Resolves when no look-up is on its way. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.known.values());
  }

  private lasting({ topic, retentionMs }: Topic): Pick<TopicSpecification, 'topic' | 'retentionMs' | 'lasting'> {
    return { topic: `${this.prefix}${topic}`, retentionMs, lasting: true };
  }

  private lookUp(specification: TopicSpecification, type: string): Promise<KnownTopic> {
    const { topic } = specification;
    const known = this.known.get(topic);
    if (known) return known;
    const found = ensureTopics(this.kafka, [specification]).then((partitions) => ({ type, topic, partitions: partitions.get(topic)! }));
    this.known.set(topic, found);
    found.catch(() => this.known.delete(topic));
    return found;
  }
}
