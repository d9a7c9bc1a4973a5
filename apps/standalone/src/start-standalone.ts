import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { AudienceModule } from '@tidings/audience/audience.module';
import { ContentModule } from '@tidings/content/content.module';
import { systemContext } from '@tidings/contracts/core/context';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { startGateway } from '@tidings/gateway/start-gateway';
import { IdentityModule } from '@tidings/identity/identity.module';
import { MessagingModule } from '@tidings/messaging/messaging.module';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { parseSmtpUrl } from '@tidings/providers/smtp/smtp-settings';
import { LocalTransport } from '@tidings/rpc/local-transport';
import { lockDataDirectory } from '@tidings/runtime/data-directory';
import type { ProcessContext } from '@tidings/runtime/run-process';
import { type ServiceResources, startService } from '@tidings/runtime/service';
import { Teardown } from '@tidings/runtime/teardown';
import { VERSION } from '@tidings/runtime/version';
import type { Access } from './banner';
import { ensureAccess } from './first-access';
import { Mailbox, MAILBOX_FOLDER } from './mailbox/mailbox';
import { MAILBOX_PATH, mountMailbox } from './mailbox/mount-mailbox';
import { ownDatabase } from './own-database';

interface Standalone {
  /** `http://127.0.0.1:8080` */
  url: string;
  /** The workspaces and their keys; `TIDINGS_API_KEY` is the key of the first. */
  access: Access[];
  /** Whether mail goes to the development mailbox. */
  hasMailbox: boolean;
  /** Refuses new requests, finishes those in flight, stops all parts. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Everything in one process: PostgreSQL (embedded, or the one of `DATABASE_URL`), the event log in it, the four services
 * and the gateway on the in-process transport. Started parts are stopped when a later part cannot start, or when the context's signal
 * aborts.
 * @param seed a second workspace, for development.
 */
export async function startStandalone(context: ProcessContext, { seed }: { seed: boolean }): Promise<Standalone> {
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
    return { ...(await startParts(context, seed, teardown)), stop };
  } catch (error) {
    await stop().catch(() => undefined); // the first error is the cause
    throw error;
  }
}

async function startParts(
  { configuration, health, publicMetrics, signal, releasePort }: ProcessContext,
  seed: boolean,
  teardown: Teardown,
): Promise<Omit<Standalone, 'stop'>> {
  const directory = await lockDataDirectory(configuration.dataDirectory);
  teardown.add('the data directory', () => directory.release());
  const urls = await ownDatabase(configuration, directory.path, (name, stop) => teardown.add(name, stop));
  await migrateEventLog(urls.events);
  signal.throwIfAborted();

  const events = await PostgresEventLog.connect({ databaseUrl: urls.events, applicationName: 'tidings-events' });
  teardown.add('the event log', () => events.close());
  const transport = new LocalTransport();
  teardown.add('the transport', () => transport.close());
  const client = transport.client();

  const mailbox = configuration.smtpUrl ? undefined : await Mailbox.start({ directory: path.join(directory.path, MAILBOX_FOLDER) });
  if (mailbox) teardown.add('the mailbox', () => mailbox.close());
  const smtp = parseSmtpUrl(configuration.smtpUrl ?? mailbox!.url);

  const resourcesOf = (service: Exclude<ServiceName, 'gateway'>): ServiceResources => ({ databaseUrl: urls[service], events, client });
  const retention = { messagesMs: configuration.messageRetentionMs, historyMs: configuration.historyRetentionMs };
  const modules = {
    identity: IdentityModule.register({ ...resourcesOf('identity'), secretKeys: configuration.secretKeys }),
    audience: AudienceModule.register(resourcesOf('audience')),
    content: ContentModule.register(resourcesOf('content')),
    messaging: MessagingModule.register({
      ...resourcesOf('messaging'),
      openProviders: () => [new SmtpProvider(smtp)],
      secretKeys: configuration.secretKeys,
      guard: new AddressGuard({ allowed: configuration.allowedNetworks }),
      retention,
    }),
  };
  for (const name of ['identity', 'audience', 'content', 'messaging'] as const) {
    const service = await startService(name, modules[name], transport);
    teardown.add(name, () => service.stop());
    signal.throwIfAborted();
  }

  const access = await ensureAccess(client, systemContext(randomUUID()), directory.path, configuration, seed);
  health.register('event log', async () => {
    if (!(await events.ready())) throw new Error('the event log accepts no records now');
  });
  const gateway = await startGateway({
    port: configuration.port,
    client,
    events,
    health,
    metrics: publicMetrics?.registry,
    version: VERSION,
    adminKey: configuration.adminKey,
    secretKeys: configuration.secretKeys,
    beforeListening: releasePort,
    mailbox: mailbox && MAILBOX_PATH,
    extraRoutes: (instance) => mailbox && mountMailbox(instance, mailbox),
  });
  teardown.add('the gateway', () => gateway.stop());
  return { url: gateway.url, access: access.map((one) => ({ ...one, url: gateway.url })), hasMailbox: mailbox !== undefined };
}
