import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '@tidings/testing/wait-until';
import { KAFKA_IMAGE } from './docker-fleet';
import { FAKE_DOCKER } from './fake-docker.fixture';
import { KafkaCluster } from './kafka-cluster';
import { Machine } from './programs.fixture';
import { SourceProcess } from '@tidings/testing/source-process';

const OWNER = require.resolve('./owner.fixture');

describe('a Kafka in Docker', () => {
  let machine: Machine;
  /** The commands that Docker ran, without queries. */
  const commands = (): string[] =>
    readFileSync(join(machine.directory, 'commands'), 'utf8')
      .trim()
      .split('\n')
      .filter((line) => !/^(version|inspect|logs) /.test(line));

  beforeEach(() => {
    machine = new Machine();
    machine.install('docker', FAKE_DOCKER);
  });
  afterEach(() => machine.remove());

  it('is that of docker-compose.yml and of the overlay for Kubernetes', () => {
    for (const file of ['docker-compose.yml', 'k8s/overlays/dev/kafka.yaml']) {
      expect(readFileSync(join(__dirname, '../../..', file), 'utf8')).toContain(`image: ${KAFKA_IMAGE}\n`);
    }
  });

  it('is created once with its settings; every operation is one command', async () => {
    const directory = join(machine.directory, 'kafka');
    const cluster = await KafkaCluster.start({ directory, environment: machine.environment });
    const [, port] = cluster.brokers[0]!.split(':');
    const [network, create, start] = commands();
    const name = /--name (\S+)/.exec(create!)![1]!;

    expect(network).toMatch(/^network create tidings-kafka-/);
    expect(create).toContain(`--publish 127.0.0.1:${port}:${port} `);
    expect(create).toContain(`source=${directory}/broker-1,target=/tidings,readonly`);
    expect(create).toMatch(new RegExp(`--entrypoint /bin/sh ${KAFKA_IMAGE} /tidings/start.sh$`));
    expect(start).toBe(`start ${name}`);
    const settings = readFileSync(join(directory, 'broker-1/server.properties'), 'utf8');
    expect(settings).toContain(`advertised.listeners=CLIENT://127.0.0.1:${port},INTERNAL://${name}:`);
    expect(readFileSync(join(directory, 'broker-1/start.sh'), 'utf8')).toContain("'--ignore-formatted'");

    await cluster.freeze(1);
    await cluster.thaw(1);
    await cluster.kill(1);
    await expect(cluster.status()).resolves.toMatchObject([{ state: 'stopped' }]);
    await cluster.startBroker(1);
    await expect(cluster.status()).resolves.toMatchObject([{ state: 'serving' }]);
    await cluster.stop();
    expect(commands().slice(3)).toEqual([`pause ${name}`, `unpause ${name}`, `kill ${name}`, `start ${name}`, `stop --time 15 ${name}`]);

    await cluster.remove();
    expect(commands().slice(8)).toEqual([`rm --force --volumes ${name}`, network!.replace('create', 'rm')]);
    expect(existsSync(directory)).toBe(false);
  });

  it('is removed when the process that started it is killed', async () => {
    const directory = join(machine.directory, 'kafka');
    machine.borrow('cat', 'grep', 'ps', 'rm', 'rmdir', 'sleep', 'tr'); // the commands that the guard uses
    const owner = SourceProcess.start(OWNER, {
      parameters: [directory, 'temporary'],
      environment: { ...machine.environment, JAVA_HOME: '' },
    });
    await owner.untilOutput(/started/, { timeoutMs: 60_000 });

    await owner.kill('SIGKILL');

    await waitUntil(() => !existsSync(directory), { what: 'the end of its folder' });
    expect(commands().slice(-2)).toEqual([expect.stringMatching(/^rm --force --volumes /), expect.stringMatching(/^network rm /)]);
  });
});
