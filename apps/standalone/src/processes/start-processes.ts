import { randomBytes, randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError, wireError } from '@tidings/contracts/core/errors';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { KafkaTransport } from '@tidings/rpc/kafka/kafka-transport';
import { allSettled } from '@tidings/runtime/all-settled';
import { lockDataDirectory } from '@tidings/runtime/data-directory';
import { freePort } from '@tidings/runtime/free-port';
import { localUrl } from '@tidings/runtime/local-url';
import type { ProcessContext } from '@tidings/runtime/run-process';
import Fastify from 'fastify';
import type { Running } from '../banner';
import { ensureAccess } from '../first-access';
import { Mailbox, MAILBOX_FOLDER } from '../mailbox/mailbox';
import { MAILBOX_PATH, mountMailbox } from '../mailbox/mailbox-page';
import { ownDatabase } from '../own-database';
import { ownSecret } from '../own-file';
import { ownSecretKeys } from '../own-secret-key';
import { AppProcess, type ListedProcess } from './app-process';
import { childEnvironment } from './child-environment';
import type { LogRelay } from './log-relay';
import { SupervisedKafka } from './supervised-kafka';

/** Dependencies come first, and stop last; apps of one stage stop together. */
const STAGES: readonly (readonly ServiceName[])[] = [['identity', 'audience', 'content'], ['messaging'], ['gateway']];
export const APPS = STAGES.flat();

const HOST = '127.0.0.1';

/**
 * The product as in production, on one machine: Kafka and PostgreSQL (configured or embedded), the gateway and the four services in
 * processes of their own. The stops of `context` end every started part, the gateway first.
 */
export async function startProcesses(context: ProcessContext, relay: LogRelay, seed: boolean): Promise<Running> {
  const { configuration, signal, onStop } = context;
  const directory = await lockDataDirectory(configuration.dataDirectory);
  onStop('the data directory', () => directory.release());
  const port = configuration.port || (await freePort());

  // When one has failed, every started part has registered its stop.
  const [kafka, databaseUrls] = await allSettled([kafkaOf(context, directory.path), databaseOf(context, directory.path)]);
  signal.throwIfAborted();
  const mailbox = configuration.smtpUrl ? undefined : await startMailboxServer(port + 1, path.join(directory.path, MAILBOX_FOLDER));
  if (mailbox) onStop('the mailbox', () => mailbox.close());

  const list = listIn(directory.path);
  onStop('the list of processes', () => list.remove());
  const secretKeys = await ownSecretKeys(directory.path, configuration.secretKeys);
  const apps = APPS.map((name) => {
    const environment = childEnvironment(name, {
      ...kafka.environment,
      TIDINGS_SECRET_KEY: secretKeys.map((key) => key.toString('base64')).join(),
      ...(name === 'gateway' ? { PORT: String(port), TIDINGS_HOST: configuration.host } : { DATABASE_URL: databaseUrls[name] }),
      ...(name === 'messaging' && mailbox && { TIDINGS_SMTP_URL: mailbox.smtpUrl }),
    });
    const file = require.resolve(`@tidings/${name}/main`);
    return new AppProcess({ name, file, environment, relay, onStart: (entry) => list.set(name, entry) });
  });
  context.releasePort();
  await startApps(context, apps);

  const access = await accessOf(context, kafka.settings, directory.path, seed);
  return { url: localUrl(configuration.host, port), access, mailboxUrl: mailbox?.url, brokers: kafka.settings.brokers };
}

/** The Kafka of `KAFKA_BROKERS` with the settings of the environment, or an embedded one with its data in `directory`. */
async function kafkaOf(context: ProcessContext, directory: string) {
  const { kafka: configured, signing: configuredSigning } = context.configuration;
  const secrets = configuredSigning.secrets.length > 0 ? configuredSigning.secrets : [await rpcSecretIn(directory)];
  const signing = { ...configuredSigning, secrets };
  const ownEnvironment = { TIDINGS_RPC_SECRET: secrets.join() };
  if (configured) return { settings: { ...configured, signing }, environment: ownEnvironment };
  context.logger.log('Starting Kafka', 'Start');
  const kafka = await SupervisedKafka.start(path.join(directory, 'kafka'));
  loggedStops(context)('Kafka', () => kafka.stop());
  const topicPrefix = process.env.KAFKA_TOPIC_PREFIX ?? '';
  return {
    settings: { brokers: kafka.brokers, topicPrefix, signing },
    environment: { ...ownEnvironment, KAFKA_BROKERS: kafka.brokers.join(','), KAFKA_TOPIC_PREFIX: topicPrefix },
  };
}

/** The secret of an installation whose environment has none. */
function rpcSecretIn(directory: string) {
  return ownSecret(path.join(directory, 'rpc-secret'), 'secret of the processes', () => randomBytes(32).toString('base64url'));
}

/** The URL of each role, in the database of `DATABASE_URL` or in an embedded PostgreSQL. */
function databaseOf(context: ProcessContext, directory: string) {
  const { configuration, logger } = context;
  logger.log(configuration.databaseUrl ? 'Preparing the database' : 'Starting PostgreSQL', 'Start');
  return ownDatabase(configuration, directory, loggedStops(context));
}

/** Registers stops that log what they wait for. */
function loggedStops({ logger, onStop }: ProcessContext): ProcessContext['onStop'] {
  return (name, stop) =>
    onStop(name, () => {
      logger.log(`Waiting for ${name} to end`, 'Shutdown');
      return stop();
    });
}

/** The running processes by app, in `processes.json` of the data directory: for tools that watch or kill them. */
function listIn(directory: string) {
  const file = path.join(directory, 'processes.json');
  const listed: Partial<Record<ServiceName, ListedProcess>> = {};
  return {
    /** Replaces the app's earlier process. The rename is atomic: readers see the old list or the new one. */
    set: (app: ServiceName, entry: ListedProcess) => {
      listed[app] = entry;
      writeFileSync(`${file}.new`, `${JSON.stringify(listed, null, 2)}\n`);
      renameSync(`${file}.new`, file);
    },
    remove: () => rmSync(file, { force: true }),
  };
}

/** Starts all apps, and resolves when all are ready. */
async function startApps({ health, logger, signal, onStop }: ProcessContext, apps: readonly AppProcess[]) {
  onStop('the processes', async () => {
    for (const stage of [...STAGES].reverse()) {
      logger.log(`Waiting for ${stage.join(', ')} to end`, 'Shutdown');
      await Promise.all(apps.filter(({ name }) => stage.includes(name)).map((app) => app.stop()));
    }
  });
  logger.log(`Starting ${APPS.join(', ')}`, 'Start');
  for (const app of apps) {
    await app.start();
    health.register(app.name, () => app.check());
  }
  await Promise.all(apps.map((app) => app.untilReady(signal)));
}

/** The workspaces and their keys, created by identity over RPC. */
async function accessOf(context: ProcessContext, settings: KafkaSettings, directory: string, seed: boolean) {
  const transport = await context.waitFor('Kafka', () => KafkaTransport.connect({ settings, role: 'gateway' }));
  try {
    const client = transport.client();
    return await context.waitFor('identity', () =>
      ensureAccess(client, systemContext(randomUUID()), directory, context.configuration, seed),
    );
  } finally {
    await transport.close();
  }
}

/** The development mailbox, its mails in `directory`, with an HTTP server of its own; on `preferredPort` if that is free. */
async function startMailboxServer(preferredPort: number, directory: string) {
  const mailbox = await Mailbox.start({ directory });
  const server = Fastify({ forceCloseConnections: true });
  server.setErrorHandler((error, _request, reply) => {
    const [code, message] =
      error instanceof ServiceError ? [error.code, error.message] : (['internal', 'The mail cannot be shown'] as const);
    const { status, type } = wireError(code);
    return reply.status(status).send({ message, type });
  });
  mountMailbox(server, mailbox);
  try {
    await server.listen({ host: HOST, port: await freePort(preferredPort) });
  } catch (error) {
    await mailbox.close();
    throw error;
  }
  const { port } = server.server.address() as AddressInfo;
  return {
    /** The value of `TIDINGS_SMTP_URL` for messaging. */
    smtpUrl: mailbox.operatorsUrl,
    /** The URL of the mailbox page. */
    url: `http://${HOST}:${port}${MAILBOX_PATH}`,
    close: async () => {
      await server.close();
      await mailbox.close();
    },
  };
}
