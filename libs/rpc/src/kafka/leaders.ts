import { Logger } from '@nestjs/common';
import type { Admin, Kafka } from 'kafkajs';

/** After a failure leaders are asked for again, no more often than this. */
const REFRESH_INTERVAL_MS = 1_000;

/** Which broker leads each partition, as far as is known. */
export class Leaders {
  private readonly logger = new Logger('Kafka');
  private readonly byTopic = new Map<string, number[]>();
  private refreshing?: Promise<boolean>;
  private refreshedAt = -Infinity;

  constructor(
    private readonly kafka: Kafka,
    private readonly topics: readonly string[],
  ) {}

  of(topic: string, partition: number): number {
    return this.byTopic.get(topic)?.[partition] ?? -1;
  }

  /** @throws what kafkajs throws when the cluster cannot be asked. */
  async load(): Promise<void> {
    this.refreshedAt = performance.now();
    const admin: Admin = this.kafka.admin();
    try {
      await admin.connect();
      const { topics } = await admin.fetchTopicMetadata({ topics: [...this.topics] });
      for (const { name, partitions } of topics) {
        const leaders: number[] = [];
        for (const { partitionId, leader } of partitions) leaders[partitionId] = leader;
        this.byTopic.set(name, leaders);
      }
    } finally {
      void admin.disconnect().catch(() => undefined);
    }
  }

  /** Asks the cluster again, unless it was asked just now. Resolves with whether it was; never rejects. */
  refresh(): Promise<boolean> {
    if (performance.now() - this.refreshedAt < REFRESH_INTERVAL_MS) return Promise.resolve(false);
    this.refreshing ??= this.load()
      .then(
        () => true,
        (error: unknown) => {
          this.logger.debug(`The leaders of partitions are not known anew: ${(error as Error).message}`);
          return false;
        },
      )
      .finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }
}
