import type { ListenerSecurity } from '@tidings/kafka-runner/listener-security';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { newTopic, Notes, steps } from '../spec-events.fixture';
import { Certificates } from '@tidings/testing/certificates';
import { KafkaUnderTest } from './kafka-under-test.fixture';
import type { KafkaSettings } from '@tidings/kafka/settings';

const SASL = { username: 'tidings', password: 'p"ass\\word' };

describeWithKafka('Kafka behind', () => {
  const certificates = new Certificates();
  const other = new Certificates();
  const [server, client] = [certificates.sign('server'), certificates.sign('client')];
  const ca = certificates.ca.certificate;
  afterAll(() => [certificates, other].forEach((each) => each.remove()));

  interface Case {
    listener: ListenerSecurity;
    ours: Pick<KafkaSettings, 'tls' | 'sasl'>;
    wrong: Pick<KafkaSettings, 'tls' | 'sasl'>;
  }
  const wrongPassword = { ...SASL, password: 'wrong' };
  const cases: [string, Case][] = [
    [
      'TLS and SCRAM-SHA-512',
      {
        listener: { tls: server, sasl: { mechanism: 'scram-sha-512', ...SASL } },
        ours: { tls: { ca }, sasl: { mechanism: 'scram-sha-512', ...SASL } },
        wrong: { tls: { ca }, sasl: { mechanism: 'scram-sha-512', ...wrongPassword } },
      },
    ],
    [
      'TLS with certificates of clients, and PLAIN',
      {
        listener: { tls: { ...server, clientCa: ca }, sasl: { mechanism: 'plain', ...SASL } },
        ours: { tls: { ca, certificate: { cert: client.certificate, key: client.key } }, sasl: { mechanism: 'plain', ...SASL } },
        wrong: { tls: { ca: other.ca.certificate }, sasl: { mechanism: 'plain', ...SASL } },
      },
    ],
    [
      'SCRAM-SHA-256',
      {
        listener: { sasl: { mechanism: 'scram-sha-256', ...SASL } },
        ours: { sasl: { mechanism: 'scram-sha-256', ...SASL } },
        wrong: { sasl: { mechanism: 'scram-sha-256', ...wrongPassword } },
      },
    ],
  ];

  it.each(cases)(
    '%s accepts the configured credentials and refuses others',
    async (_, { listener, ours, wrong }) => {
      const under = await KafkaUnderTest.start({ listener }, ours);
      try {
        const topic = newTopic();
        const log = await waitUntil(() => under.open()); // a broker that has just started may refuse connections
        const notes = new Notes();
        await log.append(topic, steps('a', 3), { deadlineMs: 60_000 });
        await log.consume(topic, { group: 'g' }, notes.note);
        await waitUntil(() => notes.names.join() === 'a1,a2,a3');

        await expect(under.open(wrong)).rejects.toMatchObject({ code: 'unavailable' });
      } finally {
        await under.close();
      }
    },
    KAFKA_START_TIMEOUT_MS,
  );
});
