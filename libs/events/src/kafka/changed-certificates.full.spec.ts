import '@tidings/testing/quiet';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createPrivateKey } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Certificates, type KeyPair } from '@tidings/testing/certificates';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { newTopic, Notes, steps } from '../spec-events.fixture';
import { KafkaUnderTest } from './kafka-under-test.fixture';

/** Until a broker of this test runs, which takes longer than the certificate lives on a slow machine too. */
const LIFE_MS = 40_000;

describeWithKafka('The certificates of a running process', () => {
  const [own, next] = [new Certificates(), new Certificates()];
  const folder = mkdtempSync(join(tmpdir(), 'tidings-changed-certificates-'));
  const [ca, cert, key] = ['ca.pem', 'client.pem', 'client.key'].map((name) => join(folder, name)) as [string, string, string];
  const put = (client: KeyPair): void => {
    copyFileSync(client.key, key);
    copyFileSync(client.certificate, cert);
  };
  afterAll(() => {
    [own, next].forEach((each) => each.remove());
    rmSync(folder, { recursive: true });
  });

  it(
    'are read again for each connection: a new one replaces one that expires, and a new authority the earlier',
    async () => {
      const server = own.sign('server');
      const expiresAt = Date.now() + LIFE_MS;
      put(own.sign('client-expiring', new Date(expiresAt)));
      copyFileSync(own.ca.certificate, ca);
      const under = await KafkaUnderTest.start(
        { listener: { tls: { ...server, clientCa: own.ca.certificate } } },
        { tls: { ca, certificate: { cert, key } } },
      );
      try {
        const topic = newTopic();
        const log = await waitUntil(() => under.open());
        const notes = new Notes();
        await log.append(topic, steps('a', 1), { deadlineMs: 60_000 });
        await log.consume(topic, { group: 'g' }, notes.note);
        await waitUntil(() => notes.names.join() === 'a1');

        await waitUntil(() => Date.now() > expiresAt + 1_000, { what: 'the end of the certificate', timeoutMs: 2 * LIFE_MS });
        await expect(under.open()).rejects.toMatchObject({ code: 'unavailable' });

        // Connections that exist stay, and new ones use the files as they are.
        put(own.sign('client-renewed'));
        await (await waitUntil(() => under.open())).append(topic, steps('a', 1, 2), { deadlineMs: 60_000 });
        await waitUntil(() => notes.names.join() === 'a1,a2');

        // The broker gets a certificate of another authority, and clients trust both, then the new one alone.
        writeFileSync(ca, [own, next].map(({ ca: { certificate } }) => readFileSync(certificate, 'utf8')).join(''));
        await under.cluster.stopBroker(1);
        setKeystore(join(under.cluster.directory, 'broker-1'), next.sign('server-next'));
        copyFileSync(next.ca.certificate, ca);
        await under.cluster.startBroker(1);

        await log.append(topic, steps('a', 1, 3), { deadlineMs: 60_000 });
        await waitUntil(() => notes.names.join() === 'a1,a2,a3', { timeoutMs: 60_000 });
      } finally {
        await under.close();
      }
    },
    KAFKA_START_TIMEOUT_MS,
  );
});

function setKeystore(home: string, { certificate, key }: KeyPair): void {
  const pkcs8 = createPrivateKey(readFileSync(key)).export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(join(home, 'keystore.pem'), `${pkcs8.toString()}${readFileSync(certificate, 'utf8')}`);
}
