import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '@tidings/runtime/process-table';
import { freePort } from '@tidings/testing/free-port';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, startTestKafka } from '@tidings/testing/kafka';
import { SourceProcess } from '@tidings/testing/source-process';
import { waitUntil } from '@tidings/testing/wait-until';
import { type Kafka } from 'kafkajs';
import { queryBrokers } from './broker-query';
import { clientOf, createTopic, produce, readUntil } from './kafka-client.fixture';
import { KafkaCluster } from './kafka-cluster';

jest.setTimeout(KAFKA_START_TIMEOUT_MS);

const OWNER = require.resolve('./owner.fixture');

const pidOf = ({ directory }: { directory: string }, id = 1): number => Number(readFileSync(join(directory, `broker-${id}/pid`), 'utf8'));

const portOf = ({ brokers }: KafkaCluster, id = 1): number => Number(brokers[id - 1]!.split(':')[1]);

describeWithKafka('a Kafka of one broker', () => {
  let cluster: KafkaCluster;
  let kafka: Kafka;

  beforeAll(async () => {
    cluster = await startTestKafka();
    kafka = clientOf(cluster);
  });
  afterAll(() => cluster?.remove());

  it('has files that its owner alone can read', () => {
    const modeOf = (name: string): number => statSync(join(cluster.directory, name)).mode & 0o777;
    const files = ['cluster.json', ...['server.properties', 'server.log', 'output.log', 'pid'].map((name) => `broker-1/${name}`)];

    expect(files.map(modeOf)).toEqual(files.map(() => 0o600));
    expect(['broker-1', 'broker-1/data'].map(modeOf)).toEqual([0o700, 0o700]);
  });

  it('has a record after it was killed and restarted', async () => {
    await createTopic(kafka, 'persisted');
    await produce(kafka, 'persisted', ['one']);
    const pid = pidOf(cluster);

    await cluster.kill(1);
    expect(isRunning(pid)).toBe(false);
    await cluster.startBroker(1);

    await expect(readUntil(kafka, 'persisted', 'one')).resolves.toEqual(['one']);
  });

  it('does not answer while it is frozen, and continues after it is thawed', async () => {
    await createTopic(kafka, 'frozen');

    await cluster.freeze(1);
    await expect(queryBrokers(portOf(cluster))).resolves.toBeUndefined();
    await expect(cluster.status()).resolves.toMatchObject([{ id: 1, state: 'silent' }]);
    const produced = produce(kafka, 'frozen', ['waited']);
    await cluster.thaw(1);
    await produced;

    await expect(readUntil(kafka, 'frozen', 'waited')).resolves.toEqual(['waited']);
    await expect(cluster.status()).resolves.toMatchObject([{ id: 1, state: 'serving' }]);
  });

  it('restarts on its port when the other process on that port closes it', async () => {
    await cluster.stopBroker(1);
    const other = await listen(portOf(cluster));

    const started = cluster.startBroker(1);
    await waitUntil(() => /Address already in use/.test(readFileSync(join(cluster.directory, 'broker-1/server.log'), 'utf8')), {
      what: 'a start that finds the port in use',
      timeoutMs: 120_000,
    });
    other.close();
    await started;

    await expect(queryBrokers(portOf(cluster))).resolves.toEqual([1]);
  });

  it('leaves no process when it is stopped while frozen, and has its data at the next start in the folder', async () => {
    await createTopic(kafka, 'stopped');
    await produce(kafka, 'stopped', ['still here']);
    const pid = pidOf(cluster);

    await cluster.freeze(1);
    await cluster.stop();
    expect(isRunning(pid)).toBe(false);
    const { brokers } = cluster;
    cluster = await KafkaCluster.start({ directory: cluster.directory, temporary: true });

    expect(cluster.brokers).toEqual(brokers);
    await expect(readUntil(kafka, 'stopped', 'still here')).resolves.toEqual(['still here']);
  });

  it('refuses a folder with a cluster of another size, and an unknown broker', async () => {
    await expect(KafkaCluster.start({ directory: cluster.directory, brokers: 3 })).rejects.toThrow(/contains a cluster of 1 broker/);
    expect(() => cluster.kill(2)).toThrow('There is no broker 2');
  });
});

describeWithKafka('a Kafka of three brokers', () => {
  it('accepts writes with acks=all while one broker is dead, and includes that broker again after its restart', async () => {
    const cluster = await startTestKafka({ brokers: 3 });
    try {
      const kafka = clientOf(cluster);
      await createTopic(kafka, 'replicated', 3);
      await produce(kafka, 'replicated', ['before']);

      await cluster.kill(2);
      await produce(kafka, 'replicated', ['without']);
      await cluster.startBroker(2);
      await produce(kafka, 'replicated', ['after']);

      await expect(readUntil(kafka, 'replicated', 'after')).resolves.toEqual(['before', 'without', 'after']);
      await expect(cluster.status()).resolves.toMatchObject([{ state: 'serving' }, { state: 'serving' }, { state: 'serving' }]);
    } finally {
      await cluster.remove();
    }
  });
});

describeWithKafka('a Kafka cluster', () => {
  it('uses another port when the preferred one is in use', async () => {
    const port = await freePort();
    const other = await listen(port);
    const cluster = await startTestKafka({ port });
    try {
      expect(portOf(cluster)).not.toBe(port);
      await expect(queryBrokers(portOf(cluster))).resolves.toEqual([1]);
    } finally {
      other.close();
      await cluster.remove();
    }
  });

  it('ends with the killed process that started it, including the data', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tidings-owner-'));
    const owner = SourceProcess.start(OWNER, { parameters: [directory, 'temporary'] });
    await owner.untilOutput(/started/, { timeoutMs: KAFKA_START_TIMEOUT_MS });
    const pid = pidOf({ directory });
    expect(isRunning(pid)).toBe(true);

    await owner.kill('SIGKILL');

    await waitUntil(() => !isRunning(pid), { what: 'the end of the broker' });
    await waitUntil(() => !existsSync(directory), { what: 'the end of its folder' });
  });

  it('ends in order with the killed process that started it when the data is persistent', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tidings-owner-'));
    const owner = SourceProcess.start(OWNER, { parameters: [directory] });
    await owner.untilOutput(/started/, { timeoutMs: KAFKA_START_TIMEOUT_MS });
    const pid = pidOf({ directory });

    await owner.kill('SIGKILL');
    await waitUntil(() => !isRunning(pid), { what: 'the end of the broker', timeoutMs: 40_000 });

    expect(existsSync(join(directory, 'broker-1/data/.kafka_cleanshutdown'))).toBe(true);
    rmSync(directory, { recursive: true });
  });

  it('outlasts the process that started it when detached, and the cluster can be opened again', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tidings-owner-'));
    const owner = SourceProcess.start(OWNER, { parameters: [directory, 'detached'] });
    await owner.untilOutput(/started/, { timeoutMs: KAFKA_START_TIMEOUT_MS });

    await owner.kill('SIGKILL');

    const cluster = (await KafkaCluster.open(directory))!;
    const pid = pidOf(cluster);
    await expect(cluster.status()).resolves.toMatchObject([{ id: 1, state: 'serving' }]);
    await cluster.remove();
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(directory)).toBe(false);
  });
});

async function listen(port: number): Promise<Server> {
  const server = createServer();
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', () => resolve(undefined)));
  return server;
}
