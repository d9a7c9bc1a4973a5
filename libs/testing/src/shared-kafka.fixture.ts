import { sharedTestKafka } from './kafka';

/** Asks for the run's Kafka as a suite of another worker does. */
void sharedTestKafka().then(({ brokers }) => console.log(`brokers ${brokers.join()}\n`));
