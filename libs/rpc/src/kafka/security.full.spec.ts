import type { KafkaSettings } from '@tidings/kafka/settings';
import type { KafkaCluster } from '@tidings/kafka-runner/kafka-cluster';
import { Certificates } from '@tidings/testing/certificates';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, startTestKafka, TEST_SIGNING, TEST_TOPICS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeRpcTransport } from '../rpc-transport.contract';
import { KafkaTransport } from './kafka-transport';

const SASL = { mechanism: 'scram-sha-512', username: 'tidings', password: 'p"ass\\word' } as const;

describeWithKafka('over Kafka behind TLS with certificates of clients, and SCRAM', () => {
  const certificates = new Certificates();
  const [server, { certificate, key }] = [certificates.sign('server'), certificates.sign('client')];
  const ca = certificates.ca.certificate;
  let kafka: KafkaCluster;
  let settings: KafkaSettings;
  beforeAll(async () => {
    kafka = await startTestKafka({ listener: { tls: { ...server, clientCa: ca }, sasl: SASL } });
    settings = {
      brokers: kafka.brokers,
      topicPrefix: 'rpc.',
      topics: TEST_TOPICS,
      signing: TEST_SIGNING,
      tls: { ca, certificate: { cert: certificate, key } },
      sasl: SASL,
    };
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(async () => {
    await kafka.remove();
    certificates.remove();
  });

  const connect = (): Promise<KafkaTransport> => waitUntil(() => KafkaTransport.connect({ settings, role: 'gateway' }));
  describeRpcTransport('operations between processes', connect, {
    largeChars: 500_000, // one process encrypts it four times, so more would take too long
  });

  it.each<[string, Partial<KafkaSettings>]>([
    ['the wrong password', { sasl: { ...SASL, password: 'wrong' } }],
    ['no certificate', { tls: { ca } }],
  ])('are refused with %s', async (_, wrong) => {
    const attempt = KafkaTransport.connect({ settings: { ...settings, ...wrong }, role: 'gateway' });

    await expect(attempt).rejects.toMatchObject({ code: 'unavailable' });
  });
});
