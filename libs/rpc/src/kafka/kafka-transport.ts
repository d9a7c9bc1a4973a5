import { unavailable } from '@tidings/contracts/core/errors';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { createKafkaClient } from '@tidings/kafka/client';
import { RecordSealer } from '@tidings/kafka/record-sealer';
import { RecordSigner } from '@tidings/kafka/record-signer';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { ClusterTopics } from '@tidings/kafka/topics';
import type { Kafka } from 'kafkajs';
import { OperationClient } from '../operation-client';
import { NO_OBSERVER, type RpcObserver } from '../rpc-observer';
import type { RpcTransport } from '../transport';
import { BrokerClock } from './broker-clock';
import { Caller } from './caller';
import { KafkaServer } from './kafka-server';
import { PartitionSelector } from './partition-selector';
import { ReplyChannel } from './reply-channel';
import { RpcProducer } from './rpc-producer';
import { ANSWERING_SERVICES, CALLEES, callersOf, replyTopic, requestTopic, rpcTopics } from './rpc-topics';
import { SealedBodies } from './sealed-bodies';
import type { Refusal } from '@tidings/kafka/refused-records';
import { SignedCalls } from './signed-calls';

/** A healthy broker accepts a batch in milliseconds. An early timeout costs reads a second copy, and commands nothing. */
const PRODUCE_TIMEOUT_MS = 2_500;

interface KafkaTransportOptions {
  settings: KafkaSettings;
  /** The role of this process: names it in the brokers' logs and quotas, and the topic of the replies to its calls. */
  role: ServiceName;
  /** Called for every record that is refused, for metrics. */
  onRefused?(reason: Refusal): void;
  /** Default: none. */
  observer?: RpcObserver;
}

/**
 * Operations between processes over Kafka: a request topic per service, whose members share its partitions, and one reply topic,
 * of which every process reads one partition (docs/adr/0008).
 */
export class KafkaTransport implements RpcTransport {
  private readonly servers = new Map<ServiceName, KafkaServer>();
  private readonly caller: Caller;
  private readonly channel: ReplyChannel;
  private readonly clock = new BrokerClock();
  private readonly signed: SignedCalls;
  private readonly bodies: SealedBodies;
  private readonly prefix: string;
  private readonly observer: RpcObserver;
  private closed?: Promise<void>;

  private constructor(
    private readonly kafka: Kafka,
    { settings: { topicPrefix, signing }, role, onRefused = () => undefined, observer = NO_OBSERVER }: KafkaTransportOptions,
    private readonly topics: ClusterTopics,
    private readonly producer: RpcProducer,
    leaders: ReadonlyMap<string, readonly number[]>,
  ) {
    const { clock } = this;
    const { secrets, acceptsUnsigned = false } = signing;
    this.signed = new SignedCalls({ signer: new RecordSigner(secrets, 'calls', topicPrefix), clock, acceptsUnsigned, onRefused });
    this.bodies = new SealedBodies({ sealer: new RecordSealer(secrets), seals: !acceptsUnsigned });
    this.prefix = topicPrefix;
    this.observer = observer;
    // Versions without signatures answer to the topic of all replies.
    const replyRole = acceptsUnsigned ? undefined : role;
    const replies = replyTopic(topicPrefix, replyRole);
    this.channel = new ReplyChannel(kafka, replies, leaders.get(replies)!.length, producer, clock, this.signed, (address, reply) =>
      this.caller.onReply(address, reply),
    );
    const callees = CALLEES[role].map((service) => {
      const topic = requestTopic(topicPrefix, service);
      return [service, { topic, selector: new PartitionSelector(leaders.get(topic)!.length) }] as const;
    });
    this.caller = new Caller(producer, this.channel, this.signed, this.bodies, new Map(callees), replyRole);
  }

  /**
   * Creates the missing topics of this role, and resolves when a record of this process has come back over its reply partition.
   * @throws ServiceError `unavailable` when the cluster is unavailable or a topic is unfit.
   */
  static async connect(options: KafkaTransportOptions): Promise<KafkaTransport> {
    const { settings, role } = options;
    const clientId = `tidings-${role}`;
    const kafka = createKafkaClient(settings, clientId);
    const topics = new ClusterTopics(kafka, settings.topics);
    const leaders = await topics.ensure(rpcTopics(settings.topicPrefix, role, settings.signing.acceptsUnsigned));
    const client = createKafkaClient(settings, clientId, PRODUCE_TIMEOUT_MS);
    const producer = new RpcProducer(client, leaders, settings.topics.recordBytesMax);
    const transport = new KafkaTransport(kafka, options, topics, producer, leaders);
    try {
      await transport.channel.open();
      return transport;
    } catch (error) {
      await transport.close();
      throw unavailable(`Operations over Kafka are unavailable: ${(error as Error).message}`, error);
    }
  }

  /** A member of the service's group; one per service on this transport. */
  server(service: ServiceName) {
    if (!ANSWERING_SERVICES.includes(service)) throw new Error(`The ${service} service answers no operations: it has no request topic`);
    if (this.servers.has(service)) throw new Error(`Service ${service} is already listening on this transport`);
    const server = new KafkaServer({
      kafka: this.kafka,
      topic: requestTopic(this.prefix, service),
      callers: callersOf(service),
      replyTopicOf: (role) => replyTopic(this.prefix, role),
      producer: this.producer,
      clock: this.clock,
      signed: this.signed,
      bodies: this.bodies,
      observer: this.observer,
      onClosed: () => this.servers.delete(service),
    });
    this.servers.set(service, server);
    return server;
  }

  client() {
    return new OperationClient((request) => this.caller.exchange(request), this.observer);
  }

  /** Whether requests can be sent, replies arrive, and the services of this process are in their groups. */
  ready() {
    const listening = [...this.servers.values()].every(({ alive }) => alive);
    return Promise.resolve(!this.closed && listening && this.channel.alive && !this.producer.isUnavailable);
  }

  /** What an operator has to change in a topic of operations: see `ClusterTopics.fault`. */
  topicFault() {
    return this.topics.fault();
  }

  /** Waits for open calls, then closes. Services must be stopped before. */
  close() {
    return (this.closed ??= this.finish());
  }

  private async finish() {
    await this.caller.close();
    await Promise.all([...this.servers.values()].map((server) => server.close()));
    await this.channel.close();
    await Promise.all([this.producer.close(), this.topics.close()]);
  }
}
