import { Logger } from '@nestjs/common';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import type { Kafka } from 'kafkajs';
import { KafkaAdmin } from './admin';
import { awaitTopicLeaders } from './await-topic-leaders';
import { checkTopics } from './check-topics';
import { createTopics } from './create-topics';
import type { TopicSettings } from './topic-settings';
import { UnfitTopic } from './unfit-topic';

/** Required configuration of a topic. */
export interface TopicSpecification {
  /** With its prefix. */
  topic: string;
  partitions: number;
  compacted: boolean;
  /** `null` retains records forever. */
  retentionMs: number | null;
  /** Records must survive the loss of a broker: acknowledged by `minInsyncReplicas` of the settings. */
  lasting: boolean;
}

/** Readiness checks the topics again after so long. */
const CHECK_INTERVAL_MS = 30_000;

const logger = new Logger('Kafka');

/** The topics that a part of this process uses: made or checked before their first use, and checked again for readiness. */
export class ClusterTopics {
  private readonly admin = new KafkaAdmin(this.kafka);
  private readonly used = new Map<string, TopicSpecification>();
  private latest: { faults: readonly string[]; at: number } = { faults: [], at: performance.now() };
  private checking?: Promise<void>;

  constructor(
    private readonly kafka: Kafka,
    private readonly settings: TopicSettings,
    private readonly checkIntervalMs = CHECK_INTERVAL_MS,
  ) {}

  /**
   * Creates missing topics with explicit partitions, and checks existing ones, whatever created them. Safe when many processes
   * call it at once.
   * @returns the leaders of each topic's partitions.
   * @throws ServiceError `unavailable`, naming what to change in an existing topic or to set, or when the cluster is unavailable.
   */
  async ensure(topics: readonly TopicSpecification[]): Promise<Map<string, number[]>> {
    const leaders = await ensureTopics(this.kafka, topics, this.settings);
    for (const one of topics) this.used.set(one.topic, one);
    return leaders;
  }

  /**
   * What an operator has to change in a topic since it was ensured; `undefined` when nothing is known. Returns at once: an answer is at
   * most as old as the interval of checks and the time of one. A cluster that does not answer is no fault of a topic.
   */
  fault(): string | undefined {
    if (performance.now() - this.latest.at >= this.checkIntervalMs) this.checking ??= this.check();
    return this.latest.faults[0];
  }

  /** Never rejects. */
  async close(): Promise<void> {
    await this.admin.close();
  }

  private async check() {
    try {
      const { refusals } = await this.admin.request((admin) => checkTopics(admin, [...this.used.values()], this.settings));
      this.latest = { faults: refusals, at: performance.now() };
    } catch (error) {
      this.latest = { ...this.latest, at: performance.now() };
      logger.debug(`Checking the topics failed: ${reasonOf(error)}`);
    } finally {
      this.checking = undefined;
    }
  }
}

async function ensureTopics(kafka: Kafka, topics: readonly TopicSpecification[], settings: TopicSettings) {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const existing = new Set(await admin.listTopics());
    const missing = topics.filter(({ topic }) => !existing.has(topic));
    if (missing.length > 0) await createTopics(admin, missing, settings);
    const present = topics.filter(({ topic }) => existing.has(topic));
    if (present.length > 0) {
      const { refusals, warnings } = await checkTopics(admin, present, settings);
      if (refusals.length > 0) throw new UnfitTopic(refusals[0]!);
      for (const warning of warnings) logger.warn(warning);
    }
    return await awaitTopicLeaders(
      admin,
      topics.map(({ topic }) => topic),
    );
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw unavailable(`Checking the topics in Kafka failed: ${(error as Error).message}`, error);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
