import { KafkaCluster } from './kafka-cluster';

/** Starts a Kafka in the folder of its first parameter and stays. */
const [directory, ...how] = process.argv.slice(2);

void KafkaCluster.start({ directory: directory!, detached: how.includes('detached'), temporary: how.includes('temporary') }).then(() => {
  setInterval(() => {}, 60_000);
  console.log('started');
});
