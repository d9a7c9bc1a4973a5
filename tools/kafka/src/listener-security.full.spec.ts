import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, startTestKafka } from '@tidings/testing/kafka';
import type { KafkaConfig } from 'kafkajs';
import { clientOf, createTopic, produce, readUntil } from './kafka-client.fixture';

jest.setTimeout(KAFKA_START_TIMEOUT_MS);

const USER = { username: 'alice', password: `it's "secret" \\ $HOME` };
const NO_RETRY = { retries: 0 };

describeWithKafka('a Kafka that authenticates clients', () => {
  it.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)(
    'accepts its user by %s and refuses a wrong password',
    async (mechanism) => {
      const cluster = await startTestKafka({ listener: { sasl: { mechanism, ...USER } } });
      try {
        const saslOf = (password: string): KafkaConfig['sasl'] => ({ mechanism, username: USER.username, password }) as KafkaConfig['sasl'];
        const client = clientOf(cluster, { sasl: saslOf(USER.password) });
        await createTopic(client, 'mine');
        await produce(client, 'mine', ['one']);
        await expect(readUntil(client, 'mine', 'one')).resolves.toEqual(['one']);

        const wrong = clientOf(cluster, { sasl: saslOf('guessed'), retry: NO_RETRY });
        await expect(createTopic(wrong, 'theirs')).rejects.toThrow(/authentication/i);
      } finally {
        await cluster.remove();
      }
    },
  );

  it('presents its certificate, and requires one of clients when a client CA is set', async () => {
    const files = mkdtempSync(join(tmpdir(), 'tidings-certificates-'));
    const pathOf = (name: string): string => join(files, `${name}.pem`);
    const make = (name: string): void => {
      const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
      const output = ['-keyout', pathOf(`${name}-key`), '-out', pathOf(name)];
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject, ...output], { stdio: 'ignore' });
    };
    ['broker', 'client', 'stranger'].forEach(make);
    const tls = { certificate: pathOf('broker'), key: pathOf('broker-key'), clientCa: pathOf('client') };
    const cluster = await startTestKafka({ listener: { tls } });
    try {
      const read = (name: string): string => readFileSync(pathOf(name), 'utf8');
      const sslOf = (name: string) => ({ ca: [read('broker')], cert: read(name), key: read(`${name}-key`) });
      const client = clientOf(cluster, { ssl: sslOf('client') });
      await createTopic(client, 'mine');
      await produce(client, 'mine', ['one']);
      await expect(readUntil(client, 'mine', 'one')).resolves.toEqual(['one']);

      await expect(createTopic(clientOf(cluster, { ssl: sslOf('stranger'), retry: NO_RETRY }), 'theirs')).rejects.toThrow();
      await expect(createTopic(clientOf(cluster, { retry: NO_RETRY }), 'theirs')).rejects.toThrow();
    } finally {
      await cluster.remove();
      rmSync(files, { recursive: true });
    }
  });
});
