import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { classArchive } from './class-archive';
import { DockerProgram } from './docker-program';
import { KAFKA_IMAGE } from './docker-fleet';
import { findEngine } from './engine';
import { KafkaCluster } from './kafka-cluster';
import { fetchJars } from './kafka-jars';
import { startedClusters } from './started-clusters';

const HELP = `A real Apache Kafka on this machine, for development: on Java and Maven, otherwise in Docker.

  npm run kafka -- start [--brokers 1|3] [--port P] [--heap-mb M]   start all stopped brokers; prints the bootstrap servers
  npm run kafka -- stop [--wipe]                                    stop all brokers; --wipe also removes their data
  npm run kafka -- status                                           exit code 0: all serve, 1: some, 3: none. Without --dir it also
                                                                    finds what this clone started in other folders
  npm run kafka -- stop-broker | start-broker --broker I            stop one in order, start it again
  npm run kafka -- kill --broker I                                  SIGKILL
  npm run kafka -- freeze | thaw --broker I                         suspend one, resume it
  npm run kafka -- fetch                                            only fetch jars or image

  --dir DIR   folder of the cluster (default: kafka in TIDINGS_DATA_DIR, or .tidings/kafka)

Port P (default 9092) is a preference: when it is in use the brokers get another one. The first start in a folder fixes the number
of brokers and the ports. A started cluster runs until it is stopped. KAFKA_BROKERS=$(npm run -s kafka -- start)
`;

const PORT = 9092;
const EXIT_USAGE = 2;
const EXIT_NONE_SERVES = 3;

/** An invalid command line; the message states why. */
class UsageError extends Error {}

interface Flags {
  /** Absolute. */
  dir: string;
  /** Folders of other clusters that `status` shows where they run. */
  elsewhere: readonly string[];
  brokers?: string;
  port?: string;
  'heap-mb'?: string;
  broker?: string;
  wipe?: boolean;
}

const log = (message: string): void => void process.stderr.write(`${message}\n`);

const COMMANDS: Record<string, (flags: Flags) => Promise<void>> = {
  async start({ dir: directory, brokers, port, 'heap-mb': heapMb }) {
    const cluster = await KafkaCluster.start({
      directory,
      brokers: brokersOf(brokers),
      port: numberOf('--port', port) ?? PORT,
      heapMb: numberOf('--heap-mb', heapMb),
      detached: true,
      log,
    });
    process.stdout.write(`${cluster.brokers.join()}\n`);
  },
  async stop({ dir, wipe }) {
    const cluster = await clusterIn(dir);
    await (wipe ? cluster.remove() : cluster.stop());
    log(wipe ? `Stopped, and removed what was in ${cluster.directory}` : 'Stopped');
  },
  async status({ dir, elsewhere }) {
    const states: BrokerState[] = [];
    for (const { directory, brokers } of await shownClusters(dir, elsewhere)) {
      if (elsewhere.includes(directory)) log(`Kafka in ${directory}:`);
      for (const { id, address, state } of brokers) process.stdout.write(`broker ${id} ${address} ${state}\n`);
      states.push(...brokers);
    }
    const serving = states.filter(({ state }) => state === 'serving').length;
    if (serving < states.length) process.exitCode = serving > 0 ? 1 : EXIT_NONE_SERVES;
  },
  'start-broker': async ({ dir, broker }) => (await clusterIn(dir)).startBroker(idOf(broker)),
  'stop-broker': async ({ dir, broker }) => (await clusterIn(dir)).stopBroker(idOf(broker)),
  kill: async ({ dir, broker }) => (await clusterIn(dir)).kill(idOf(broker)),
  freeze: async ({ dir, broker }) => (await clusterIn(dir)).freeze(idOf(broker)),
  thaw: async ({ dir, broker }) => (await clusterIn(dir)).thaw(idOf(broker)),
  async fetch() {
    const engine = findEngine();
    if (engine.kind === 'docker') return new DockerProgram().run('pull', KAFKA_IMAGE);
    await classArchive(engine.java, await fetchJars(engine.maven, { log }), { log });
  },
};

async function main(parameters: string[]): Promise<void> {
  const { command, flags } = read(parameters);
  if (!command || command === 'help' || flags.help) {
    process.stdout.write(HELP);
    return;
  }
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (!run) throw new UsageError(`There is no command ${command}`);
  const dir = resolve(flags.dir ?? `${process.env.TIDINGS_DATA_DIR || '.tidings'}/kafka`);
  const own = existsSync(dir) ? realpathSync(dir) : dir;
  await run({ ...flags, dir, elsewhere: flags.dir === undefined ? startedClusters().filter((one) => one !== own) : [] });
}

function read(parameters: string[]): { command?: string; flags: Partial<Flags> & { help?: boolean } } {
  const text = { type: 'string' } as const;
  const yes = { type: 'boolean' } as const;
  try {
    const { values, positionals } = parseArgs({
      args: parameters,
      allowPositionals: true,
      options: { dir: text, brokers: text, port: text, 'heap-mb': text, broker: text, wipe: yes, help: { ...yes, short: 'h' } },
    });
    if (positionals.length > 1) throw new UsageError(`One command at a time, not ${positionals.join(' ')}`);
    return { command: positionals[0], flags: values };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function clusterIn(directory: string): Promise<KafkaCluster> {
  const cluster = await KafkaCluster.open(directory);
  if (!cluster) throw new Error(`No Kafka was started in ${directory}: npm run kafka -- start`);
  return cluster;
}

type BrokerState = Awaited<ReturnType<KafkaCluster['status']>>[number];

/** The clusters with a running broker: that of the folder and those elsewhere. Where none runs, that of the folder. */
async function shownClusters(directory: string, elsewhere: readonly string[]) {
  const found: { directory: string; brokers: BrokerState[] }[] = [];
  for (const folder of [directory, ...elsewhere]) {
    const cluster = await KafkaCluster.open(folder);
    const brokers = (await cluster?.status()) ?? [];
    if (cluster && brokers.some(({ state }) => state !== 'stopped')) found.push({ directory: cluster.directory, brokers });
  }
  if (found.length > 0) return found;
  const own = await clusterIn(directory);
  return [{ directory: own.directory, brokers: await own.status() }];
}

function brokersOf(text?: string): 1 | 3 | undefined {
  const brokers = numberOf('--brokers', text);
  if (brokers === undefined || brokers === 1 || brokers === 3) return brokers;
  throw new UsageError(`--brokers is 1 or 3, not ${text}`);
}

function idOf(text?: string): number {
  const id = numberOf('--broker', text);
  if (id === undefined) throw new UsageError('A broker is required: --broker I');
  return id;
}

function numberOf(flag: string, text?: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text)) throw new UsageError(`${flag} is a whole number, not ${text}`);
  return Number(text);
}

main(process.argv.slice(2)).catch((error: Error) => {
  log(error instanceof UsageError ? `${error.message}. npm run kafka -- help` : error.message);
  process.exitCode = error instanceof UsageError ? EXIT_USAGE : 1;
});
