import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError, wireError } from '@tidings/contracts/core/errors';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { topicSettings } from '@tidings/kafka/topic-settings';
import { KafkaTransport } from '@tidings/rpc/kafka/kafka-transport';
import { allSettled } from '@tidings/runtime/all-settled';
import { lockDataDirectory } from '@tidings/runtime/data-directory';
import { freePort } from '@tidings/runtime/free-port';
import { localUrl } from '@tidings/runtime/local-url';
import type { ProcessContext } from '@tidings/runtime/run-process';
import Fastify from 'fastify';
import type { Running } from '../banner';
import { makeConsoleCode } from '../console-code';
import { ensureAccess } from '../first-access';
import { Mailbox, MAILBOX_FOLDER } from '../mailbox/mailbox';
import { MAILBOX_PATH, mountErasure, mountMailbox } from '../mailbox/mailbox-page';
import { databaseKeyId, ownDatabase } from '../own-database';
import { ownSecret } from '../own-file';
import { ownSecretKeys } from '../own-secret-key';
import type { StartContext } from '../run-standalone';
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
export async function startProcesses(context: StartContext, relay: LogRelay, seed: boolean): Promise<Running> {
  const { configuration, signal, onStop } = context;
  const directory = await lockDataDirectory(configuration.dataDirectory);
  onStop('the data directory', () => directory.release());
  const port = configuration.port || (await freePort());

  // When one has failed, every started part has registered its stop.
  const [kafka, database] = await allSettled([
    kafkaOf(context, directory.path),
    ownDatabase(configuration, directory.path, { onStep: context.onStep, onStop: loggedStops(context) }),
  ]);
  signal.throwIfAborted();
  const mailbox = configuration.smtpUrl ? undefined : await startMailboxServer(port + 1, path.join(directory.path, MAILBOX_FOLDER));
  if (mailbox) onStop('the mailbox', () => mailbox.close());

  const list = listIn(directory.path);
  onStop('the list of processes', () => list.remove());
  const secretKeys = await ownSecretKeys(directory.path, configuration.secretKeys, () => databaseKeyId(database.directUrls));
  const apps = APPS.map((name) => {
    const environment = childEnvironment(name, {
      ...kafka.environment,
      TIDINGS_SECRET_KEY: secretKeys.map((key) => key.toString('base64')).join(),
      ...(name === 'gateway'
        ? { PORT: String(port), TIDINGS_HOST: configuration.host }
        : { DATABASE_URL: database.urls[name], DATABASE_DIRECT_URL: database.directUrls[name] }),
      ...(name === 'messaging' && mailbox && { TIDINGS_SMTP_URL: mailbox.smtpUrl, TIDINGS_MAILBOX_URL: mailbox.origin }),
    });
    return new AppProcess({ name, file: mainOf(name), environment, relay, onStart: (entry) => list.set(name, entry) });
  });
  context.releasePort();
  await startApps(context, apps);

  const { access, consoleCode } = await accessOf(context, kafka.settings, directory.path, seed);
  return {
    url: localUrl(configuration.host, port),
    access,
    consoleCode,
    mailboxUrl: mailbox && `${mailbox.origin}${MAILBOX_PATH}`,
    brokers: kafka.settings.brokers,
  };
}

/** The file that runs an app: beside the bundle, or of its project where this file is not bundled. */
function mainOf(name: ServiceName) {
  const bundled = path.join(__dirname, `${name}.js`);
  return existsSync(bundled) ? bundled : require.resolve(`@tidings/${name}/main`);
}

/** The Kafka of `KAFKA_BROKERS` with the settings of the environment, or an embedded one with its data in `directory`. */
async function kafkaOf(context: StartContext, directory: string) {
  const { kafka: configured, signing: configuredSigning } = context.configuration;
  const secrets = configuredSigning.secrets.length > 0 ? configuredSigning.secrets : [await rpcSecretIn(directory)];
  const signing = { ...configuredSigning, secrets };
  const ownEnvironment = { TIDINGS_RPC_SECRET: secrets.join() };
  if (configured) {
    const { replication } = configured.topics;
    const environment = { ...ownEnvironment, TIDINGS_KAFKA_REPLICATION: String(replication ?? 'broker') };
    return { settings: { ...configured, signing }, environment };
  }
  context.onStep('Starting Kafka');
  const kafka = await SupervisedKafka.start(path.join(directory, 'kafka'));
  loggedStops(context)('Kafka', () => kafka.stop());
  const topicPrefix = process.env.KAFKA_TOPIC_PREFIX ?? '';
  return {
    settings: { brokers: kafka.brokers, topicPrefix, topics: topicSettings({ replication: 1 }), signing },
    environment: {
      ...ownEnvironment,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_TOPIC_PREFIX: topicPrefix,
      TIDINGS_KAFKA_REPLICATION: '1',
      TIDINGS_KAFKA_MIN_ISR: '1',
    },
  };
}

/** The secret of an installation whose environment has none. */
function rpcSecretIn(directory: string) {
  return ownSecret(path.join(directory, 'rpc-secret'), 'secret of the processes', () => randomBytes(32).toString('base64url'));
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
      writeFileSync(`${file}.new`, `${JSON.stringify(listed, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    remove: () => rmSync(file, { force: true }),
  };
}

/** Starts all apps, and resolves when all are ready. */
async function startApps({ health, logger, signal, onStop, onStep }: StartContext, apps: readonly AppProcess[]) {
  onStop('the processes', async () => {
    for (const stage of [...STAGES].reverse()) {
      logger.log(`Waiting for ${stage.join(', ')} to end`, 'Shutdown');
      await Promise.all(apps.filter(({ name }) => stage.includes(name)).map((app) => app.stop()));
    }
  });
  onStep(`Starting ${APPS.join(', ')}`);
  for (const app of apps) {
    await app.start();
    health.register(app.name, () => app.check());
  }
  await Promise.all(apps.map((app) => app.untilReady(signal)));
}

/** The workspaces and their keys, and a code for the console, created by identity over RPC. */
async function accessOf(context: ProcessContext, settings: KafkaSettings, directory: string, seed: boolean) {
  const transport = await context.waitFor('Kafka', () => KafkaTransport.connect({ settings, role: 'gateway' }));
  try {
    const client = transport.client();
    const system = systemContext(randomUUID());
    return await context.waitFor('identity', async () => {
      const access = await ensureAccess(client, system, directory, context.configuration, seed);
      return { access, consoleCode: await makeConsoleCode(client, system, access[0]!.key) };
    });
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
  mountErasure(server, mailbox);
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
    /** The URL of the server. */
    origin: `http://${HOST}:${port}`,
    close: async () => {
      await server.close();
      await mailbox.close();
    },
  };
}
