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
import { bouncesOf, operatorsSmtp, recipientLinks } from '@tidings/messaging/process-module';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { LocalTransport } from '@tidings/rpc/local-transport';
import { isDebugging } from '@tidings/runtime/configuration';
import { lockDataDirectory } from '@tidings/runtime/data-directory';
import { rpcObserver } from '@tidings/runtime/rpc-metrics';
import { startService } from '@tidings/runtime/service';
import { watchEventLog } from '@tidings/runtime/watch-event-log';
import type { Running } from './banner';
import { makeConsoleCode } from './console-code';
import { ensureAccess } from './first-access';
import { Mailbox, MAILBOX_FOLDER } from './mailbox/mailbox';
import { MAILBOX_PATH, mountMailbox } from './mailbox/mailbox-page';
import { databaseKeyId, ownDatabase } from './own-database';
import { ownSecretKeys } from './own-secret-key';
import type { StartContext } from './run-standalone';

/**
 * Everything in one process: PostgreSQL (embedded, or the one of `DATABASE_URL`), the event log in it, the four services
 * and the gateway on the in-process transport. The stops of the context end every started part, the gateway first.
 * @param seed a second workspace, for development.
 */
export async function startStandalone(
  {
    configuration,
    health,
    publicMetrics,
    signal,
    onStop,
    onStep,
    releasePort,
  }: Omit<StartContext, 'name' | 'flags' | 'logger' | 'waitFor'>,
  seed: boolean,
): Promise<Running> {
  onStep('Waiting for the data directory');
  const directory = await lockDataDirectory(configuration.dataDirectory);
  onStop('the data directory', () => directory.release());
  const { urls, directUrls } = await ownDatabase(configuration, directory.path, { onStep, onStop });
  const secretKeys = await ownSecretKeys(directory.path, configuration.secretKeys, () => databaseKeyId(directUrls));
  await migrateEventLog(directUrls.events, configuration.database);
  signal.throwIfAborted();

  const events = await PostgresEventLog.connect({ databaseUrl: directUrls.events, applicationName: 'tidings-events' });
  onStop('the event log', () => events.close());
  onStop('the metrics of the event log', watchEventLog(events, 'standalone'));
  const transport = new LocalTransport(rpcObserver);
  onStop('the transport', () => transport.close());
  const client = transport.client();

  const mailbox = configuration.smtpUrl ? undefined : await Mailbox.start({ directory: path.join(directory.path, MAILBOX_FOLDER) });
  if (mailbox) onStop('the mailbox', () => mailbox.close());
  const bounces = bouncesOf(configuration, secretKeys);
  const smtp = operatorsSmtp(mailbox?.operatorsUrl ?? configuration.smtpUrl!, configuration, bounces);

  const resourcesOf = (service: Exclude<ServiceName, 'gateway'>) => {
    const database = { ...configuration.database, directUrl: directUrls[service] };
    return { databaseUrl: urls[service], database, events, client, health };
  };
  const { rateLimit, messageRetentionMs } = configuration;
  const modules = {
    identity: IdentityModule.register({ ...resourcesOf('identity'), secretKeys, rateLimit, messageRetentionMs }),
    audience: AudienceModule.register(resourcesOf('audience')),
    content: ContentModule.register({ ...resourcesOf('content'), secretKeys }),
    messaging: MessagingModule.register({
      ...resourcesOf('messaging'),
      openProviders: () => [new SmtpProvider(smtp)],
      senderDomains: configuration.senderDomains,
      bounceLimits: configuration.bounceLimits,
      secretKeys,
      links: recipientLinks(secretKeys, configuration),
      guard: new AddressGuard({ allowed: configuration.allowedNetworks }),
      storedMails: mailbox,
      publicUrl: configuration.publicUrl,
      bounces,
      retention: { messagesMs: messageRetentionMs, historyMs: configuration.historyRetentionMs },
    }),
  };
  for (const name of ['identity', 'audience', 'content', 'messaging'] as const) {
    onStep(`Starting ${name}`);
    const service = await startService(name, modules[name], transport);
    onStop(name, () => service.stop());
    signal.throwIfAborted();
  }

  onStep('Starting the gateway');
  const context = systemContext(randomUUID());
  const access = await ensureAccess(client, context, directory.path, configuration, seed);
  const consoleCode = await makeConsoleCode(client, context, access[0]!.key);
  health.register('event log', async () => {
    if (!(await events.ready())) throw new Error('the event log accepts no records now');
  });
  const gateway = await startGateway({
    port: configuration.port,
    host: configuration.host,
    client,
    events,
    health,
    metrics: publicMetrics?.registry,
    adminKey: configuration.adminKey,
    logsRequests: isDebugging(configuration),
    corsOrigins: configuration.corsOrigins,
    adminKeys: configuration.adminKeys,
    oidc: configuration.oidc,
    consoleUrl: configuration.consoleUrl,
    publicUrl: configuration.publicUrl,
    secretKeys,
    beforeListening: releasePort,
    mailbox: mailbox && MAILBOX_PATH,
    extraRoutes: (instance) => mailbox && mountMailbox(instance, mailbox),
  });
  onStop('the gateway', () => gateway.stop());
  return { url: gateway.url, access, consoleCode, mailboxUrl: mailbox && `${gateway.url}${MAILBOX_PATH}` };
}
