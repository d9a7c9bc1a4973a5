import { topicSettings } from '@tidings/kafka/topic-settings';
import '@tidings/testing/quiet';
import { NestFactory } from '@nestjs/core';
import type { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import { startTestKafka, TEST_SIGNING } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { caller, type Greet, greetings, GreetingsModule } from '../greetings.fixture';
import { KafkaTransport } from './kafka-transport';
import { type Ended, Load, report } from './load.fixture';

export const DEADLINE_MS = 5_000;
/** Tolerance of a deadline, on top of the longest pause of this process. */
const SLACK_MS = 2_000;
/** Time limit: a leader is elected first, then kafkajs notices on every connection. */
const RECOVERED_MS_MAX = 120_000;
const CALLS = 200;

/** A service and its callers on a Kafka of their own, and the checks after a broker's fault. */
export class FaultsUnderLoad {
  private readonly transports: KafkaTransport[] = [];
  private current?: Load;

  private constructor(readonly cluster: KafkaCluster) {}

  static async start(brokers: 1 | 3): Promise<FaultsUnderLoad> {
    const under = new FaultsUnderLoad(await startTestKafka({ brokers }));
    // Like a process at its start: retries until the broker is ready and knows the topics.
    const connect = (): Promise<KafkaTransport> => waitUntil(() => under.connect());
    const [, answering] = [await connect(), await connect()];
    const service = await NestFactory.createMicroservice(GreetingsModule, { strategy: answering.server('audience'), logger: false });
    await service.listen();
    return under;
  }

  async close(): Promise<void> {
    await Promise.all(this.transports.map((transport) => transport.close()));
    await this.cluster.remove();
  }

  async connect(): Promise<KafkaTransport> {
    const { brokers } = this.cluster;
    const topics = topicSettings({ replication: brokers.length });
    const transport = await KafkaTransport.connect({
      settings: { brokers, topicPrefix: 'spec.', topics, signing: TEST_SIGNING },
      role: 'gateway',
    });
    this.transports.push(transport);
    return transport;
  }

  async ready(): Promise<boolean> {
    const ready = await Promise.all(this.transports.map((transport) => transport.ready()));
    return ready.every(Boolean);
  }

  async call(operation: 'greet' | 'forget'): Promise<unknown> {
    return this.transports[0]!.client().call<Greet, object>(greetings[operation], caller, { name: 'Ada' });
  }

  /** Starts the load; resolves after 200 answered calls. */
  async startLoad(): Promise<void> {
    this.current = new Load(this.transports[0]!.client(), { readers: 12, commanders: 4, deadlineMs: DEADLINE_MS });
    await waitUntil(() => this.load.answered > CALLS);
  }

  get load(): Load {
    return this.current!;
  }

  /** Waits until a call that started after `since` is answered; returns the time since then, in ms. */
  async answeredAgain(since: number): Promise<number> {
    const answered = (): Ended[] => this.load.ended.filter(({ from, error }) => from > since && !error);
    await waitUntil(() => answered().length > 0, { timeoutMs: RECOVERED_MS_MAX, what: 'a call to be answered' });
    return Math.round(performance.now() - since);
  }

  /** To be called after the fault: expects calls to succeed again, and every call to have ended in time and with a known error. */
  async expectRecovery(scenario: string, counts: Record<string, unknown>): Promise<void> {
    await waitUntil(() => this.ready(), { timeoutMs: RECOVERED_MS_MAX, what: 'every transport to be ready' });
    const isRecovered = (): boolean => this.load.ended.length > CALLS && this.load.ended.slice(-CALLS).every(({ error }) => !error);
    await waitUntil(isRecovered, { timeoutMs: RECOVERED_MS_MAX, what: `${CALLS} calls in a row without a failure` });
    await this.load.stop();

    report(scenario, this.load, counts);
    for (const { kind, from, to, error } of this.load.ended) {
      expect([undefined, 'unavailable', 'deadline_exceeded']).toContain(error);
      expect(to - from).toBeLessThan((kind === 'read' ? DEADLINE_MS : 2 * DEADLINE_MS) + SLACK_MS + 2 * this.load.longestPauseMs);
    }
  }
}
