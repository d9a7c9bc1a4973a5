import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';

/** How often we look whether the broker still runs, in ms. */
const LOOK_MS = 2_000;
const BROKER = 1;

/** A Kafka of one broker that comes back: when the broker ends without being asked, it is started again with its data. */
export class SupervisedKafka {
  private readonly logger = new Logger('Kafka');
  private readonly watching: Promise<void>;
  private readonly stopped = new AbortController();

  private constructor(private readonly cluster: KafkaCluster) {
    this.watching = this.watch();
  }

  /** @throws KafkaUnavailable when this machine can run no Kafka, with what to install or to set instead. */
  static async start(directory: string): Promise<SupervisedKafka> {
    // Loaded here alone: who has a Kafka already needs no runner.
    const { KafkaCluster } = await import('@tidings/kafka-runner/kafka-cluster');
    const logger = new Logger('Kafka');
    return new SupervisedKafka(await KafkaCluster.start({ directory, brokers: 1, say: (sentence) => logger.log(sentence) }));
  }

  /** Bootstrap servers, `host:port`. */
  get brokers(): string[] {
    return this.cluster.brokers;
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.watching;
    await this.cluster.stop();
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const [broker] = await this.cluster.status();
        if (broker?.state !== 'stopped') continue;
        this.logger.error('The broker HAS ENDED unexpectedly and is started again');
        await this.cluster.startBroker(BROKER);
      } catch (error) {
        this.logger.error(`The broker cannot be started: ${String(error)}`);
      }
    }
  }
}
