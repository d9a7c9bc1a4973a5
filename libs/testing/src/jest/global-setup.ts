import { KafkaOfRun } from './kafka-of-run';
import { PostgresOfRun } from './postgres-of-run';

/** Set-up and tear-down of a run are two modules of one process. */
declare global {
  var postgresOfRun: PostgresOfRun | undefined;
  var kafkaOfRun: KafkaOfRun | undefined;
}

/** Before all projects of a jest run: starts its PostgreSQL, and has a place ready for its Kafka. */
export default async function setUp(): Promise<void> {
  globalThis.postgresOfRun = await PostgresOfRun.start();
  globalThis.kafkaOfRun = KafkaOfRun.prepare();
}
