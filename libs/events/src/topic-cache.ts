import type { Topic } from './topic';

/** The topics an instance has used; each is looked up once, and created when missing. */
export class TopicCache<Found> {
  private readonly topics = new Map<string, Promise<Found>>();

  constructor(private readonly lookUp: (topic: Topic) => Promise<Found>) {}

  /** Rejects as the look-up does; the next call looks it up again. */
  of(topic: Topic): Promise<Found> {
    const name = topic.topic;
    let found = this.topics.get(name);
    if (!found) {
      this.topics.set(name, (found = this.lookUp(topic)));
      found.catch(() => this.topics.delete(name));
    }
    return found;
  }

  /** Resolves when no look-up is in flight. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.topics.values());
  }
}
