import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import path from 'node:path';
import { AudienceModule } from '@tidings/audience/audience.module';
import { ContentModule } from '@tidings/content/content.module';
import { systemContext } from '@tidings/contracts/core/context';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { portTaken, startGateway } from '@tidings/gateway/start-gateway';
import { IdentityModule } from '@tidings/identity/identity.module';
import { MessagingModule } from '@tidings/messaging/messaging.module';
import { provisionDatabase } from '@tidings/persistence/provision';
import { SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { parseSmtpUrl } from '@tidings/providers/smtp/smtp-settings';
import { LocalTransport } from '@tidings/rpc/local-transport';
import type { Configuration } from '@tidings/runtime/configuration';
import { lockDataDirectory } from '@tidings/runtime/data-directory';
import { HealthRegistry } from '@tidings/runtime/health';
import { startManagementServer } from '@tidings/runtime/management';
import { metrics } from '@tidings/runtime/metrics';
import { type ServiceResources, startService } from '@tidings/runtime/service';
import { Teardown } from '@tidings/runtime/teardown';
import type { Access } from './banner';
import { ensureAccess } from './first-access';
import { Mailbox } from './mailbox/mailbox';
import { mountMailbox } from './mailbox/mount-mailbox';
import { rolePasswords } from './role-passwords';
import { SupervisedPostgres } from './supervised-postgres';

/** Of the product; shown in its API's description. */
const VERSION = '0.1.0';

export interface Standalone {
  /** `http://127.0.0.1:8080` */
  url: string;
  /** The workspaces and their keys; the first one is the one of `TIDINGS_API_KEY`. */
  access: Access[];
  /** Whether mail goes to the development mailbox. */
  hasMailbox: boolean;
  /** Takes no more requests, finishes what is on the wire, stops everything. Again is the same as once. */
  stop(): Promise<void>;
}

/**
 * Everything in one process: PostgreSQL (embedded, or the one of `DATABASE_URL`), the event log in it, the four services
 * and the gateway on the in-process transport. What was started is stopped again when a later part cannot start.
 * @param seed a second workspace, for development.
 * @param signal aborted in the middle of the start, it stops what was started and rejects.
 */
export async function startStandalone(
  configuration: Configuration,
  { seed = false, signal }: { seed?: boolean; signal?: AbortSignal } = {},
): Promise<Standalone> {
  const teardown = new Teardown();
  const stop = async (): Promise<void> => {
    const faults = await teardown.run();
    if (faults.length > 0)
      throw new AggregateError(
        faults.map(({ error }) => error),
        faults.map(({ name }) => `${name} did not stop in order`).join('; '),
      );
  };
  try {
    return { ...(await startParts(configuration, seed, teardown, signal)), stop };
  } catch (error) {
    await stop().catch(() => undefined); // the first error is the one that says why
    throw error;
  }
}

async function startParts(
  configuration: Configuration,
  seed: boolean,
  teardown: Teardown,
  signal: AbortSignal | undefined,
): Promise<Omit<Standalone, 'stop'>> {
  const directory = await lockDataDirectory(configuration.dataDirectory);
  teardown.add('the data directory', () => directory.release());
  await assertPortFree(configuration.port);
  const urls = await startDatabase(configuration, directory.path, teardown);
  signal?.throwIfAborted();

  const events = await PostgresEventLog.connect({ databaseUrl: urls.events, applicationName: 'tidings-events' });
  teardown.add('the event log', () => events.close());
  const transport = new LocalTransport();
  teardown.add('the transport', () => transport.close());
  const client = transport.client();

  const mailbox = configuration.smtpUrl ? undefined : await Mailbox.start();
  if (mailbox) teardown.add('the mailbox', () => mailbox.close());
  const providers = [new SmtpProvider(parseSmtpUrl(configuration.smtpUrl ?? mailbox!.url))];

  const resourcesOf = (service: Exclude<ServiceName, 'gateway'>): ServiceResources => ({ databaseUrl: urls[service], events, client });
  const modules = {
    identity: IdentityModule.register(resourcesOf('identity')),
    audience: AudienceModule.register(resourcesOf('audience')),
    content: ContentModule.register(resourcesOf('content')),
    messaging: MessagingModule.register({ ...resourcesOf('messaging'), providers }),
  };
  for (const name of ['identity', 'audience', 'content', 'messaging'] as const) {
    const service = await startService(name, modules[name], transport);
    teardown.add(name, () => service.stop());
    signal?.throwIfAborted();
  }

  const access = await ensureAccess(client, systemContext(randomUUID()), directory.path, configuration, seed);
  const health = new HealthRegistry();
  health.register('event log', async () => {
    if (!(await events.ready())) throw new Error('the event log takes nothing now');
  });
  const gateway = await startGateway({
    port: configuration.port,
    client,
    events,
    health,
    metrics: metrics.registry,
    version: VERSION,
    extraRoutes: (instance) => mailbox && mountMailbox(instance, mailbox),
  });
  teardown.add('the gateway', () => {
    health.markStopping();
    return gateway.stop();
  });
  if (configuration.managementPort !== configuration.port) {
    const management = await startManagementServer({ port: configuration.managementPort, health, metrics });
    teardown.add('the management port', () => management.close());
  }
  return { url: gateway.url, access: access.map((one) => ({ ...one, url: gateway.url })), hasMailbox: mailbox !== undefined };
}

/** Says so at once, and not when everything else has started, when somebody listens on the port. */
async function assertPortFree(port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EADDRINUSE' ? portTaken(port) : error));
    probe.listen(port, () => probe.close(() => resolve()));
  });
}

/** The database of the process, provisioned and with the event log's tables; resolves with the URL of each role. */
async function startDatabase(configuration: Configuration, directory: string, teardown: Teardown) {
  let adminUrl = configuration.databaseUrl;
  if (!adminUrl) {
    const postgres = await SupervisedPostgres.start({ directory: path.join(directory, 'postgres'), durable: true });
    teardown.add('PostgreSQL', () => postgres.stop());
    adminUrl = postgres.adminUrl;
  }
  const urls = await provisionDatabase(adminUrl, { passwords: await rolePasswords(directory) });
  await migrateEventLog(urls.events);
  return urls;
}
