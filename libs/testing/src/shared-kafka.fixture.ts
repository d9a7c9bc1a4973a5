import { sharedTestKafka } from './kafka';

/** Uses the run's Kafka like a suite of another worker. */
void sharedTestKafka().then(({ brokers }) => console.log(`brokers ${brokers.join()}\n`));
