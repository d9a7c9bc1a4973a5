import { KafkaCluster } from './kafka-cluster';

/** Starts a Kafka in the folder of its first parameter and does not exit. */
const [directory, ...flags] = process.argv.slice(2);

void KafkaCluster.start({ directory: directory!, detached: flags.includes('detached'), temporary: flags.includes('temporary') }).then(
  () => {
    setInterval(() => {}, 60_000);
    console.log('started');
  },
);
