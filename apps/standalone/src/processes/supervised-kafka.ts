import { chmodSync, mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';

const logger = new Logger('Kafka');

const OWNER_ONLY = 0o700;
/** Interval of the checks whether the broker runs, in ms. */
const POLL_MS = 2_000;

/** A Kafka of one broker: when the broker ends unexpectedly, it is restarted with its data. */
export class SupervisedKafka {
  private readonly watching: Promise<void>;
  private readonly stopped = new AbortController();

  private constructor(private readonly cluster: KafkaCluster) {
    this.watching = this.watch();
  }

  /** @throws KafkaUnavailable when this machine cannot run Kafka; the message names what to install or to set. */
  static async start(directory: string) {
    mkdirSync(directory, { recursive: true, mode: OWNER_ONLY });
    chmodSync(directory, OWNER_ONLY); // an earlier version let others enter it
    // Loaded here only: with KAFKA_BROKERS no runner is needed.
    const { KafkaCluster } = await import('@tidings/kafka-runner/kafka-cluster');
    return new SupervisedKafka(await KafkaCluster.start({ directory, brokers: 1, log: (message) => logger.log(message) }));
  }

  /** Bootstrap servers, `host:port`. */
  get brokers() {
    return this.cluster.brokers;
  }

  async stop() {
    this.stopped.abort();
    await this.watching;
    await this.cluster.stop();
  }

  private async watch() {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const [broker] = await this.cluster.status();
        if (broker?.state !== 'stopped') continue;
        logger.error('The broker HAS ENDED unexpectedly and is restarted');
        await this.cluster.startBroker(1);
      } catch (error) {
        logger.error(`The broker cannot be started: ${String(error)}`);
      }
    }
  }
}
