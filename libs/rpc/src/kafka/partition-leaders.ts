import { Logger } from '@nestjs/common';
import { awaitTopicLeaders } from '@tidings/events/kafka/await-topic-leaders';
import type { Admin, ITopicMetadata, Kafka } from 'kafkajs';

/** After a failure leaders are asked for again, no more often than this. */
const REFRESH_INTERVAL_MS = 1_000;

/** Which broker leads each partition, as far as is known. */
export class PartitionLeaders {
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

  /**
   * Asks for the first time: topics that were just made are waited for, a moment.
   * @throws what kafkajs throws when the cluster cannot be asked.
   */
  load(): Promise<void> {
    return this.ask((admin) => awaitTopicLeaders(admin, this.topics));
  }

  private async ask(question: (admin: Admin) => Promise<readonly ITopicMetadata[]>): Promise<void> {
    this.refreshedAt = performance.now();
    const admin: Admin = this.kafka.admin();
    try {
      await admin.connect();
      for (const { name, partitions } of await question(admin)) {
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
    this.refreshing ??= this.ask(async (admin) => (await admin.fetchTopicMetadata({ topics: [...this.topics] })).topics)
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
