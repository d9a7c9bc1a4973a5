import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allHaveLeft } from '@tidings/events/kafka/group-reader';
import { findEngine, KafkaUnavailable } from '@tidings/kafka-runner/engine';
import { KafkaCluster, type KafkaClusterOptions } from '@tidings/kafka-runner/kafka-cluster';
import { TEST_KAFKA_DIRECTORY } from './test-kafka-directory';

export type TestKafkaOptions = Omit<KafkaClusterOptions, 'directory' | 'detached' | 'temporary'>;

/**
 * A Kafka of the caller's own, for stories that harm it. End it with `remove`; where that is not reached, it ends with this
 * process. Its start takes seconds: give the hook a time limit of `KAFKA_START_TIMEOUT_MS`.
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

/** Time limit of a consumer that waits for a broker which was killed; kafkajs gives up before. */
const LEAVING_MS_MAX = 60_000;

/** Time limit of a hook that starts a Kafka: the first start of a machine fetches it. */
export const KAFKA_START_TIMEOUT_MS = 300_000;

export interface SharedKafka {
  /** Bootstrap servers, `host:port`. */
  readonly brokers: string[];
}

let shared: Promise<SharedKafka> | undefined;

/**
 * The one broker of this jest run, for suites that do it no harm and whose topics have a prefix of their own. The first that
 * asks starts it, in whatever worker; it ends with the run.
 */
export function sharedTestKafka(): Promise<SharedKafka> {
  const directory = process.env[TEST_KAFKA_DIRECTORY];
  if (!directory)
    throw new Error(`${TEST_KAFKA_DIRECTORY} is not set: the jest configuration of this project must come from jest.preset.cjs`);
  return (shared ??= KafkaCluster.start({ directory, detached: true }));
}

/**
 * `describe` for stories that need a Kafka. Where this machine can run none they are left out and say why in their name; with
 * CI=true they run all the same, and fail.
 */
export function describeWithKafka(name: string, body: () => void): void {
  const reason = process.env.CI === 'true' ? undefined : whyNoKafka();
  if (reason) describe.skip(`${name} (left out: ${reason})`, body);
  else
    describe(name, () => {
      body();
      // Of hooks the last one that is defined runs last. What a consumer asks for when its suite is over would fail the whole run.
      afterAll(allHaveLeft, LEAVING_MS_MAX);
    });
}

function whyNoKafka(): string | undefined {
  try {
    findEngine();
    return undefined;
  } catch (error) {
    if (error instanceof KafkaUnavailable) return error.message;
    throw error;
  }
}
