import '@tidings/testing/quiet';
import { NestFactory } from '@nestjs/core';
import type { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import { startTestKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { caller, type Greet, greetings, GreetingsModule } from '../greetings.fixture';
import { KafkaTransport } from './kafka-transport';
import { type Ended, Load, report } from './load.fixture';

export const DEADLINE_MS = 5_000;
/** Beside this, a call ends as much later than it should as this process stood still. */
const SLACK_MS = 2_000;
/** A guard: what waits for a broker waits for it to be elected, and for kafkajs to find out on every connection. */
const RECOVERED_MS_MAX = 120_000;
const CALLS = 200;

/** A service and its callers on a Kafka of their own, and what must hold whatever becomes of a broker. */
export class FaultsUnderLoad {
  private readonly transports: KafkaTransport[] = [];
  private current?: Load;

  private constructor(readonly cluster: KafkaCluster) {}

  static async start(brokers: 1 | 3): Promise<FaultsUnderLoad> {
    const under = new FaultsUnderLoad(await startTestKafka({ brokers }));
    // As a process does: a broker may be busy, and a connection is tried again until its topics are known.
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
    const transport = await KafkaTransport.connect({
      settings: { brokers: this.cluster.brokers, topicPrefix: 'spec.' },
      clientId: 'spec',
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

  /** Resolves when calls are answered. */
  async beginLoad(): Promise<void> {
    this.current = new Load(this.transports[0]!.client(), { readers: 12, commanders: 4, deadlineMs: DEADLINE_MS });
    await waitUntil(() => this.load.answered > CALLS);
  }

  get load(): Load {
    return this.current!;
  }

  /** Waits until calls that began later than `since` are answered; how long that was after `since`, in ms. */
  async answeredAgain(since: number): Promise<number> {
    const answered = (): Ended[] => this.load.ended.filter(({ from, error }) => from > since && !error);
    await waitUntil(() => answered().length > 0, { timeoutMs: RECOVERED_MS_MAX, what: 'a call to be answered' });
    return Math.round(performance.now() - since);
  }

  /** Called at the fault's end. Soon no call fails any more; every call has ended in time and with a word that a caller knows. */
  async expectOrder(story: string, counts: Record<string, unknown>): Promise<void> {
    await waitUntil(() => this.ready(), { timeoutMs: RECOVERED_MS_MAX, what: 'everything to be ready' });
    const inOrder = (): boolean => this.load.ended.length > CALLS && this.load.ended.slice(-CALLS).every(({ error }) => !error);
    await waitUntil(inOrder, { timeoutMs: RECOVERED_MS_MAX, what: `${CALLS} calls in a row without a failure` });
    await this.load.stop();

    report(story, this.load, counts);
    for (const { kind, from, to, error } of this.load.ended) {
      expect([undefined, 'unavailable', 'deadline_exceeded']).toContain(error);
      expect(to - from).toBeLessThan((kind === 'read' ? DEADLINE_MS : 2 * DEADLINE_MS) + SLACK_MS + 2 * this.load.longestPauseMs);
    }
  }
}
