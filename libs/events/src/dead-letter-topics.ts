import type { AnsweringService } from '@tidings/contracts/core/dead-letter-operations';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { consumedTopics } from './topic-access';
import type { Topic } from './topic';

/** A topic whose records may become dead letters. */
export interface DeadLetterTopic {
  readonly topic: Topic;
  /** The service that reads the topic and answers for its dead letters. */
  readonly reader: AnsweringService;
  /** The services that may append to the topic. */
  readonly writers: readonly ServiceName[];
}

/** The topics that services read in groups, in the order of their names. The gateway's topics are broadcast, and have no dead letters. */
export const DEAD_LETTER_TOPICS: readonly DeadLetterTopic[] = consumedTopics('standalone')
  .flatMap(({ topic, readers: [reader], writers }) => (reader === undefined || reader === 'gateway' ? [] : [{ topic, reader, writers }]))
  .sort((one, other) => (one.topic.topic < other.topic.topic ? -1 : 1));
