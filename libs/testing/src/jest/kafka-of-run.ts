import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Guard, startGuard } from '@tidings/kafka-runner/guard';
import { TEST_KAFKA_DIRECTORY } from '../test-kafka-directory';

/**
 * The folder of the Kafka that all suites of a jest run share. The first suite that needs it starts it, in any worker; a guard
 * process ends it with the run, also when the run is interrupted or killed.
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
