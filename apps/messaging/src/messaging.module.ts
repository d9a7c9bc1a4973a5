import { type DynamicModule, Module } from '@nestjs/common';
import { messagingDeadLetters } from '@tidings/contracts/messaging/dead-letters';
import { messagingStatus } from '@tidings/contracts/messaging/status';
import { providerConfigurationChanged } from '@tidings/contracts/messaging/providers';
import { WorkTimes } from '@tidings/jobs/work-times';
import { Database } from '@tidings/persistence/database';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { RenderPool, type RenderPoolOptions } from '@tidings/rendering/pool/render-pool';
import { OperationClient } from '@tidings/rpc/operation-client';
import { DeadLettersModule } from '@tidings/runtime/dead-letters.module';
import { Clock, systemClock } from '@tidings/runtime/clock';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { RecipientLinks } from '@tidings/runtime/recipient-links';
import { EVENT_LOG, ResourcesModule } from '@tidings/runtime/resources.module';
import type { ServiceResources } from '@tidings/runtime/service';
import { DUE_BACKLOG } from '@tidings/runtime/status-handlers';
import { StatusModule } from '@tidings/runtime/status.module';
import { KeyRing } from '@tidings/runtime/secret-box';
import { systemTimers, Timers } from '@tidings/runtime/timers';
import { AcceptModule } from './accept/accept.module';
import { ActionsModule } from './actions/actions.module';
import { BOUNCES, type BounceOptions } from './bounces/bounce-listener';
import { BouncesModule } from './bounces/bounces.module';
import { DeliverModule } from './deliver/deliver.module';
import { DryRunModule } from './dry-run/dry-run.module';
import { DueWork, dueBacklog } from './due-work';
import { MESSAGING_ENTITIES } from './entities';
import { STORED_MAILS, type StoredMails } from './erasure/erasure-traces.handlers';
import { ErasureModule } from './erasure/erasure.module';
import { ExpandModule } from './expand/expand.module';
import { InboundModule } from './inbound/inbound.module';
import { MESSAGING_MIGRATIONS } from './migrations/all';
import { Pipeline } from './pipeline';
import { ProviderEventsModule } from './provider-events/provider-events.module';
import { PUBLIC_URL } from './providers/callback-addresses';
import { DEFAULT_PROVIDERS, type EmailProvider } from './providers/provider-configurations';
import { BOUNCE_LIMITS, BOUNCE_LIMITS_DEFAULT, type BounceLimits } from './providers/bounce-guard';
import { ProviderSecrets } from './providers/provider-secrets';
import { ProvidersModule } from './providers/providers.module';
import { SENDER_DOMAINS } from './providers/sender-domains';
import { HistoryPublisher } from './publish/history-publisher';
import { PublishModule } from './publish/publish.module';
import { QueriesModule } from './queries/queries.module';
import { RETENTION_DEFAULT, RETENTION_TIMES, type RetentionTimes } from './retention/retention';
import { RetentionModule } from './retention/retention.module';
import { SecretsModule } from './secrets/secrets.module';
import { StatisticsModule } from './statistics/statistics.module';
import { SuppressionsModule } from './suppressions/suppressions.module';
import { WebhookSecrets } from './webhooks/webhook-secrets';
import { WebhooksModule } from './webhooks/webhooks.module';

/** What the process gives the module. */
export interface MessagingResources extends ServiceResources {
  /** Opens the providers of the process. Each module opens and closes its own, so a failed start does not close those of the next. */
  openProviders: () => readonly EmailProvider[];
  /** Domains from which workspaces may send with those providers, unless they have a list of their own. Default: any. */
  senderDomains?: readonly string[];
  clock?: Clock;
  /** Publishes the message history on its topics. Default: no. */
  publishHistory?: boolean;
  /** How long messages and their history are stored. Default: a year, 90 days. */
  retention?: RetentionTimes;
  /** Leases, renewals, retries and the work timeout. Default: production's. */
  workTimes?: WorkTimes;
  /** Options of the threads that run long renderings. */
  rendering?: RenderPoolOptions;
  /** Keys for the secrets of providers, webhooks and overrides: the first encrypts, all decrypt. Default: none. */
  secretKeys?: readonly Buffer[];
  /** Makes the links by which recipients unsubscribe. Default: none are made. */
  links?: RecipientLinks;
  /** Shares of bounces and complaints above which a provider is paused. Default: `BOUNCE_LIMITS_DEFAULT`. */
  bounceLimits?: BounceLimits;
  /** Address of the gateway for others, without a slash at its end. Default: none, and vendors get no callback address. */
  publicUrl?: string;
  /** Where bounces of the process's own mail server are received. Default: nowhere. */
  bounces?: BounceOptions;
  /** Addresses that configured providers may connect to. Default: public ones. */
  guard?: AddressGuard;
  /** Where the process stores sent mails, for erasures. Default: nowhere. */
  storedMails?: StoredMails;
}

/** The messaging service: requests, messages, history, deliveries. */
@Module({})
export class MessagingModule {
  static register(resources: MessagingResources): DynamicModule {
    const { databaseUrl, database, events, client, health, clock = systemClock, publishHistory, rendering } = resources;
    const { secretKeys = [], guard = new AddressGuard(), retention = RETENTION_DEFAULT, workTimes = new WorkTimes() } = resources;
    const publishes = { events: [providerConfigurationChanged], log: events };
    return {
      module: MessagingModule,
      imports: [
        PersistenceModule.forService({
          ...database,
          schema: 'messaging',
          databaseUrl,
          entities: MESSAGING_ENTITIES,
          migrations: MESSAGING_MIGRATIONS,
          publishes,
        }),
        ResourcesModule.of([
          { provide: EVENT_LOG, useValue: events },
          { provide: STORED_MAILS, useValue: resources.storedMails },
          { provide: OperationClient, useValue: client },
          { provide: Clock, useValue: clock },
          { provide: Timers, useValue: systemTimers },
          { provide: WorkTimes, useValue: workTimes },
          { provide: RETENTION_TIMES, useValue: retention },
          { provide: DEFAULT_PROVIDERS, useValue: resources.openProviders() },
          { provide: SENDER_DOMAINS, useValue: resources.senderDomains },
          { provide: PUBLIC_URL, useValue: resources.publicUrl },
          { provide: BOUNCES, useValue: resources.bounces },
          { provide: OverrideSecrets, useValue: new OverrideSecrets(secretKeys) },
          { provide: ProfileSecrets, useValue: new ProfileSecrets(secretKeys) },
          { provide: ProviderSecrets, useValue: new ProviderSecrets(secretKeys) },
          { provide: KeyRing, useValue: new KeyRing(secretKeys) },
          { provide: RecipientLinks, useValue: resources.links ?? new RecipientLinks() },
          { provide: BOUNCE_LIMITS, useValue: resources.bounceLimits ?? BOUNCE_LIMITS_DEFAULT },
          { provide: WebhookSecrets, useValue: new WebhookSecrets(secretKeys) },
          { provide: AddressGuard, useValue: guard },
          {
            provide: DUE_BACKLOG,
            inject: [Database],
            useFactory: (database: Database) => () => dueBacklog(database),
          },
          { provide: RenderPool, useFactory: () => new RenderPool(rendering) },
          {
            provide: HistoryPublisher,
            inject: [Database],
            useFactory: (database: Database) => (publishHistory ? HistoryPublisher.to(events, database) : new HistoryPublisher()),
          },
        ]),
        AcceptModule,
        ExpandModule,
        DeliverModule,
        ProvidersModule,
        SuppressionsModule,
        SecretsModule,
        ProviderEventsModule,
        BouncesModule,
        PublishModule,
        QueriesModule,
        DryRunModule,
        StatisticsModule,
        ActionsModule,
        RetentionModule,
        ErasureModule,
        InboundModule,
        WebhooksModule,
        DeadLettersModule.of('messaging', messagingDeadLetters),
        StatusModule.of('messaging', messagingStatus, health),
      ],
      providers: [Pipeline, DueWork],
    };
  }
}
