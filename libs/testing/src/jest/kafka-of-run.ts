import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Guard, startGuard } from '@tidings/kafka-runner/guard';
import { TEST_KAFKA_DIRECTORY } from '../test-kafka-directory';

/**
 * The place of the one Kafka that suites of a jest run share: the first that asks starts it, in whatever worker, and a guard
 * ends it with the run, be the run finished, interrupted or killed.
 */
export class KafkaOfRun {
  private constructor(private readonly guard: Guard) {}

  static prepare(): KafkaOfRun {
    const directory = mkdtempSync(join(tmpdir(), 'tidings-test-kafka-'));
    process.env[TEST_KAFKA_DIRECTORY] = directory;
    return new KafkaOfRun(startGuard(directory, { remove: true }));
  }

  async stop(): Promise<void> {
    delete process.env[TEST_KAFKA_DIRECTORY];
    await this.guard.strike();
  }
}
