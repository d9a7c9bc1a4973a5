import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { systemContext } from '@tidings/contracts/core/context';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { KafkaTransport } from '@tidings/rpc/kafka/kafka-transport';
import { lockDataDirectory } from '@tidings/runtime/data-directory';
import { freePort } from '@tidings/runtime/free-port';
import type { ProcessContext } from '@tidings/runtime/run-process';
import type { Running } from '../banner';
import { ensureAccess } from '../first-access';
import { MAILBOX_FOLDER } from '../mailbox/mailbox';
import { ownDatabase } from '../own-database';
import { AppProcess } from './app-process';
import { childEnvironment } from './child-environment';
import type { LogRelay } from './log-relay';
import { type MailboxServer, startMailboxServer } from './mailbox-server';
import { ProcessList } from './process-list';
import { SupervisedKafka } from './supervised-kafka';

/** Dependencies come first, and stop last; apps of one stage stop together. */
const STAGES: readonly (readonly ServiceName[])[] = [['identity', 'audience', 'content'], ['messaging'], ['gateway']];
export const APPS = STAGES.flat();

/** The launcher's Kafka client id. */
const CLIENT_ID = 'tidings-launcher';

/**
 * The product as in production, on one machine: Kafka and PostgreSQL (configured or embedded), the gateway and the four services in
 * processes of their own. The stops of `context` end every started part, the gateway first.
 */
export async function startProcesses(context: ProcessContext, relay: LogRelay, { seed }: { seed: boolean }): Promise<Running> {
  const { configuration, signal, onStop } = context;
  const directory = await lockDataDirectory(configuration.dataDirectory);
  onStop('the data directory', () => directory.release());
  const port = configuration.port || (await freePort());

  const [kafka, databaseUrls] = await settleBoth(kafkaOf(context, directory.path), databaseOf(context, directory.path));
  signal.throwIfAborted();
  const mailbox = configuration.smtpUrl ? undefined : await startMailboxServer(port + 1, path.join(directory.path, MAILBOX_FOLDER));
  if (mailbox) onStop('the mailbox', () => mailbox.close());

  const apps = makeApps(context, relay, { directory: directory.path, port, kafka, databaseUrls, mailbox });
  context.releasePort();
  await startApps(context, apps);

  const access = await accessOf(context, kafka.settings, directory.path, seed);
  return { url: `http://127.0.0.1:${port}`, access, mailboxUrl: mailbox?.url };
}

/** Both results, or the first failure once both have settled: every started part has registered its stop by then. */
async function settleBoth<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

interface KafkaOfChildren {
  settings: KafkaSettings;
  environment: NodeJS.ProcessEnv;
}

/** The Kafka of `KAFKA_BROKERS` with the settings of the environment, or an embedded one with its data in `directory`. */
async function kafkaOf({ configuration, logger, onStop }: ProcessContext, directory: string): Promise<KafkaOfChildren> {
  if (configuration.kafka) return { settings: configuration.kafka, environment: {} };
  logger.log('Starting Kafka', 'Start');
  const kafka = await SupervisedKafka.start(path.join(directory, 'kafka'));
  onStop('Kafka', () => {
    logger.log('Waiting for Kafka to end', 'Shutdown');
    return kafka.stop();
  });
  const topicPrefix = process.env.KAFKA_TOPIC_PREFIX ?? '';
  return {
    settings: { brokers: kafka.brokers, topicPrefix },
    environment: { KAFKA_BROKERS: kafka.brokers.join(','), KAFKA_TOPIC_PREFIX: topicPrefix },
  };
}

/** The URL of each role, in the database of `DATABASE_URL` or in an embedded PostgreSQL. */
function databaseOf({ configuration, logger, onStop }: ProcessContext, directory: string): Promise<Record<string, string>> {
  logger.log(configuration.databaseUrl ? 'Preparing the database' : 'Starting PostgreSQL', 'Start');
  return ownDatabase(configuration, directory, (name, stop) =>
    onStop(name, () => {
      logger.log(`Waiting for ${name} to end`, 'Shutdown');
      return stop();
    }),
  );
}

interface AppResources {
  directory: string;
  port: number;
  kafka: KafkaOfChildren;
  databaseUrls: Record<string, string>;
  mailbox: MailboxServer | undefined;
}

function makeApps(context: ProcessContext, relay: LogRelay, resources: AppResources): Map<ServiceName, AppProcess> {
  const { directory, port, kafka, databaseUrls, mailbox } = resources;
  const list = new ProcessList(directory);
  context.onStop('the list of processes', () => list.remove());
  const make = (name: ServiceName): AppProcess =>
    new AppProcess({
      name,
      file: require.resolve(`@tidings/${name}/main`),
      environment: childEnvironment(name, {
        ...kafka.environment,
        ...(name === 'gateway' ? { PORT: String(port) } : { DATABASE_URL: databaseUrls[name] }),
        ...(name === 'messaging' && mailbox && { TIDINGS_SMTP_URL: mailbox.smtpUrl }),
      }),
      relay,
      onStart: (entry) => list.set(name, entry),
    });
  return new Map(APPS.map((name) => [name, make(name)]));
}

/** Starts all apps, and resolves when all are ready. */
async function startApps({ health, logger, signal, onStop }: ProcessContext, apps: ReadonlyMap<ServiceName, AppProcess>): Promise<void> {
  onStop('the processes', async () => {
    for (const stage of [...STAGES].reverse()) {
      logger.log(`Waiting for ${stage.join(', ')} to end`, 'Shutdown');
      await Promise.all(stage.map((name) => apps.get(name)!.stop()));
    }
  });
  logger.log(`Starting ${APPS.join(', ')}`, 'Start');
  for (const app of apps.values()) {
    await app.start();
    health.register(app.name, () => app.check());
  }
  await Promise.all([...apps.values()].map((app) => app.untilReady(signal)));
}

/** The workspaces and their keys, created by identity over RPC. */
async function accessOf(context: ProcessContext, settings: KafkaSettings, directory: string, seed: boolean) {
  const transport = await context.waitFor('Kafka', () => KafkaTransport.connect({ settings, clientId: CLIENT_ID }));
  try {
    const client = transport.client();
    return await context.waitFor('identity', () =>
      ensureAccess(client, systemContext(randomUUID()), directory, context.configuration, seed),
    );
  } finally {
    await transport.close();
  }
}
