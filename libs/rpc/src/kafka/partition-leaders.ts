import { Logger } from '@nestjs/common';
import { awaitTopicLeaders } from '@tidings/kafka/await-topic-leaders';
import type { Admin, ITopicMetadata, Kafka } from 'kafkajs';

/** Shortest interval between two refreshes, in ms. */
const REFRESH_INTERVAL_MS = 1_000;

/** The broker that leads each partition, as last loaded. */
export class PartitionLeaders {
  private readonly logger = new Logger('Kafka');
  private readonly byTopic = new Map<string, number[]>();
  private refreshing?: Promise<boolean>;
  private refreshedAt = -Infinity;

  constructor(
    private readonly kafka: Kafka,
    private readonly topics: readonly string[],
  ) {}

  /** The node id of a partition's leader; -1 when it is unknown. */
  of(topic: string, partition: number): number {
    return this.byTopic.get(topic)?.[partition] ?? -1;
  }

  /**
   * Loads the leaders; waits a moment for topics that were just created.
   * @throws what kafkajs throws when the cluster cannot be reached.
   */
  load(): Promise<void> {
    return this.fetch((admin) => awaitTopicLeaders(admin, this.topics));
  }

  private async fetch(request: (admin: Admin) => Promise<readonly ITopicMetadata[]>): Promise<void> {
    this.refreshedAt = performance.now();
    const admin: Admin = this.kafka.admin();
    try {
      await admin.connect();
      for (const { name, partitions } of await request(admin)) {
        const leaders: number[] = [];
        for (const { partitionId, leader } of partitions) leaders[partitionId] = leader;
        this.byTopic.set(name, leaders);
      }
    } finally {
      void admin.disconnect().catch(() => undefined);
    }
  }

  /** Loads the leaders again, unless that happened within 1 s. Resolves with whether it succeeded; never rejects. */
  refresh(): Promise<boolean> {
    if (performance.now() - this.refreshedAt < REFRESH_INTERVAL_MS) return Promise.resolve(false);
    this.refreshing ??= this.fetch(async (admin) => (await admin.fetchTopicMetadata({ topics: [...this.topics] })).topics)
      .then(
        () => true,
        (error: unknown) => {
          this.logger.debug(`Refreshing the partition leaders failed: ${(error as Error).message}`);
          return false;
        },
      )
      .finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }
}
