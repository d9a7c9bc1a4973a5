import type { ServiceName } from '@tidings/contracts/core/operation';
import { events } from '@tidings/contracts/registry';
import { deadTopicOf, type Topic } from './topic';

/** The services that may append to a topic, and those that may read it. Others may do neither. */
export interface TopicAccess {
  readonly topic: Topic;
  readonly writers: readonly ServiceName[];
  readonly readers: readonly ServiceName[];
}

/**
 * Every topic of events with its writers and readers, made from the events' own `from`, `alsoFrom` and `to`. The readers of a
 * topic write and read its dead topic. Consumers outside the product are not in it.
 */
export const TOPIC_ACCESS: readonly TopicAccess[] = events.flatMap((topic) => {
  const writers = [topic.from!, ...(topic.alsoFrom ?? [])];
  const readers = (topic.to ?? []).filter((reader) => reader !== 'consumers');
  const own = { topic, writers, readers };
  return readers.length > 0 ? [own, { topic: deadTopicOf(topic), writers: readers, readers }] : [own];
});

/** The topics that a process reads, without those of dead letters; `standalone` reads all that any process reads. */
export function consumedTopics(process: string): readonly TopicAccess[] {
  return TOPIC_ACCESS.filter(
    ({ topic, readers }) => !topic.topic.endsWith('.dead') && readers.some((reader) => process === 'standalone' || reader === process),
  );
}

/** The topics with data of users, those of dead letters too. */
export const PERSONAL_TOPICS: readonly Topic[] = TOPIC_ACCESS.map(({ topic }) => topic).filter(({ isPersonal }) => isPersonal);

/** Groups of a service have names that begin with this. */
export const groupPrefixOf = (service: ServiceName): string => `tidings.${service}.`;
