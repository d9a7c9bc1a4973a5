import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allConsumersClosed } from '@tidings/kafka/group-reader';
import { topicSettings } from '@tidings/kafka/topic-settings';
import { findEngine, KafkaUnavailable } from '@tidings/kafka-runner/engine';
import { KafkaCluster, type KafkaClusterOptions } from '@tidings/kafka-runner/kafka-cluster';
import { TEST_KAFKA_DIRECTORY } from './test-kafka-directory';

export type TestKafkaOptions = Omit<KafkaClusterOptions, 'directory' | 'detached' | 'temporary'>;

/**
 * Starts a Kafka of the caller's own, for tests that break it. End it with `remove`; otherwise it ends with this process. Its start
 * takes seconds: give the hook a time limit of `KAFKA_START_TIMEOUT_MS`.
 */
export async function startTestKafka(options: TestKafkaOptions = {}): Promise<KafkaCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'tidings-test-kafka-'));
  try {
    return await KafkaCluster.start({ ...options, directory, temporary: true });
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Time limit of a consumer's disconnect from a killed broker; kafkajs times out earlier. */
const DISCONNECT_MS_MAX = 60_000;

/** Time limit of a hook that starts a Kafka; includes downloading it at the first start on a machine. */
export const KAFKA_START_TIMEOUT_MS = 300_000;

export interface SharedKafka {
  /** Bootstrap servers, `host:port`. */
  readonly brokers: string[];
}

/** How records of tests are signed. */
export const TEST_SIGNING = { secrets: ['a-secret-of-tests-with-more-than-32-characters'] };

/** How topics of tests are created: on one broker. */
export const TEST_TOPICS = topicSettings({ replication: 1 });

/** Of the shared broker: it has thousands of partitions at the end of a run, which fill 256 MB, and then it collects garbage all the time. */
const SHARED_HEAP_MB = 1_024;

let shared: Promise<SharedKafka> | undefined;

/**
 * The one broker of this jest run, for suites that do not break it and whose topics have a prefix of their own. The first caller
 * starts it, in any worker; it ends with the run.
 */
export function sharedTestKafka(): Promise<SharedKafka> {
  const directory = process.env[TEST_KAFKA_DIRECTORY];
  if (!directory)
    throw new Error(`${TEST_KAFKA_DIRECTORY} is not set: the jest configuration of this project must come from jest.preset.cjs`);
  return (shared ??= KafkaCluster.start({ directory, detached: true, heapMb: SHARED_HEAP_MB }));
}

/**
 * `describe` for tests that need a Kafka. On a machine that cannot run one they are skipped, with the reason in their title; with
 * CI=true they run nevertheless, and fail.
 */
export function describeWithKafka(name: string, body: () => void): void {
  const reason = process.env.CI === 'true' ? undefined : skipReason();
  if (reason) describe.skip(`${name} (skipped: ${reason})`, body);
  else
    describe(name, () => {
      body();
      // The hook defined last runs last. A consumer that sends requests after its suite has ended would fail the whole run.
      afterAll(allConsumersClosed, DISCONNECT_MS_MAX);
    });
}

function skipReason(): string | undefined {
  try {
    findEngine();
    return undefined;
  } catch (error) {
    if (error instanceof KafkaUnavailable) return error.message;
    throw error;
  }
}
