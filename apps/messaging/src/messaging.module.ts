import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { providerConfigurationChanged } from '@tidings/contracts/messaging/providers';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database } from '@tidings/persistence/database';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { RenderPool, type RenderPoolOptions } from '@tidings/rendering/pool/render-pool';
import { Clock, systemClock } from '@tidings/runtime/clock';
import type { ServiceResources } from '@tidings/runtime/service';
import { systemTimers, Timers } from '@tidings/runtime/timers';
import { Cancellation } from './actions/cancellation';
import { RequestCanceling } from './actions/request-canceling';
import { RequestCancellationSweeper } from './actions/request-cancellation.sweeper';
import { MessageActionsHandlers } from './actions/message-actions.handlers';
import { Resending } from './actions/resending';
import { BulkHandlers } from './bulk/bulk.handlers';
import { JobPages } from './bulk/job-pages';
import { ContentChanges } from './content/content-changes';
import { ContentLoader } from './content/content-loader';
import { Dispatcher } from './delivery/dispatcher';
import { ProviderCalls } from './delivery/provider-calls';
import { OutcomeWriter } from './delivery/outcome-writer';
import { RateLimiter } from './delivery/rate-limiter';
import { type EmailProvider, Providers } from './delivery/providers';
import { MESSAGING_ENTITIES } from './entities';
import { ErasureHandlers } from './erasure/erasure.handlers';
import { SendKeysHandlers } from './idempotency/send-keys.handlers';
import { MessagesHandlers } from './messages/messages.handlers';
import { ReadYourWrites } from './messages/read-your-writes';
import { CreateBulkJobs1766000017000 } from './migrations/create-bulk-jobs';
import { CreateMessages1764000000000 } from './migrations/create-messages';
import { CreateTokenReports1766000006000 } from './migrations/create-token-reports';
import { CreateInboundEvents1766000030000 } from './migrations/create-inbound-events';
import { CreateProviderConfigurations1764000006000 } from './migrations/create-provider-configurations';
import { ExtendMessages1764000000002 } from './migrations/extend-messages';
import { CancelRequests1768000019000 } from './migrations/cancel-requests';
import { KeyAfterIndexes1767000000000 } from './migrations/key-after-indexes';
import { OpenMessages1766000000000 } from './migrations/open-messages';
import { PublishHistory1764000000001 } from './migrations/publish-history';
import { Breakers } from './providers/breakers';
import { defaultsOf } from './providers/default-configuration';
import { ProviderChanges } from './providers/provider-changes';
import { ProviderConfigurations } from './providers/provider-configurations';
import { ProviderRates } from './providers/provider-rate';
import { ProviderSecrets } from './providers/provider-secrets';
import { ProvidersHandlers } from './providers/providers.handlers';
import { SecretsReseal } from './providers/reseal';
import { ExpansionRunner } from './expansion/expansion.runner';
import { TargetPages } from './expansion/target-pages';
import { HistoryPublisher } from './publishing/history-publisher';
import { StoredMessageNotifier } from './routing/stored-message-notifier';
import { InboundHandlers } from './inbound/inbound.handlers';
import { Renderer } from './routing/renderer';
import { OpenMessagesNotifier } from './routing/open-messages-notifier';
import { OpenMessagesRunner } from './routing/open-messages.runner';
import { Preparation } from './routing/preparation';
import { Processor } from './routing/processor';
import { Recipients } from './routing/recipients';
import { Router } from './routing/router';
import { ArchiveSweeper } from './requests/archive-sweeper';
import { RequestsHandlers } from './requests/requests.handlers';
import { Retention, RETENTION_DEFAULT, type RetentionTimes } from './retention/retention';
import { ensurePartitions } from './store/partitions';
import { WorkTimes } from './store/work-times';
import { TokenReporter } from './tokens/token-reporter';

/** Partitions for the coming weeks are created once a day. */
const PARTITION_INTERVAL_MS = 86_400_000;

export interface MessagingResources extends ServiceResources {
  /** Opens the providers of the process. Each module opens and closes its own, so a failed start does not close those of the next. */
  openProviders: () => readonly EmailProvider[];
  clock?: Clock;
  /** Publishes the message history on its topics. Default: no. */
  publishHistory?: boolean;
  /** How long messages and their history are stored. Default: a year, 90 days. */
  retention?: RetentionTimes;
  /** Leases, renewals, retries and the work timeout. Default: production's. */
  workTimes?: WorkTimes;
  /** Options of the threads that run long renderings. */
  rendering?: RenderPoolOptions;
  /** Keys for the secrets of providers and overrides: the first encrypts, all decrypt. Default: none. */
  secretKeys?: readonly Buffer[];
  /** Addresses that configured providers may connect to. Default: public ones. */
  guard?: AddressGuard;
}

const MIGRATIONS = [
  CreateMessages1764000000000,
  PublishHistory1764000000001,
  ExtendMessages1764000000002,
  CreateProviderConfigurations1764000006000,
  OpenMessages1766000000000,
  CreateTokenReports1766000006000,
  CreateInboundEvents1766000030000,
  CreateBulkJobs1766000017000,
  KeyAfterIndexes1767000000000,
  CancelRequests1768000019000,
];

/** Starts and stops the pipeline in order: producers stop before their consumers. */
@Injectable()
class Pipeline implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private partitionTimer: NodeJS.Timeout | undefined;
  private warmUp: NodeJS.Immediate | undefined;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Router) private readonly router: Router,
    @Inject(OpenMessagesRunner) private readonly openMessages: OpenMessagesRunner,
    @Inject(ExpansionRunner) private readonly expansions: ExpansionRunner,
    @Inject(Renderer) private readonly renderer: Renderer,
    @Inject(Dispatcher) private readonly dispatcher: Dispatcher,
    @Inject(HistoryPublisher) private readonly history: HistoryPublisher,
    @Inject(Providers) private readonly providers: Providers,
    @Inject(ProviderConfigurations) private readonly configurations: ProviderConfigurations,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.createPartitions();
    this.partitionTimer = setInterval(() => void this.createPartitions().catch(() => undefined), PARTITION_INTERVAL_MS).unref();
    this.history.start();
    this.dispatcher.start();
    this.openMessages.start();
    this.expansions.start();
    await this.router.start();
    this.warmUp = setImmediate(() => this.renderer.warmUp());
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.partitionTimer);
    clearImmediate(this.warmUp);
    await this.router.stop();
    await this.renderer.close();
    await this.expansions.stop();
    await this.openMessages.stop();
    await this.dispatcher.stop();
    await this.history.stop();
    await this.configurations.close();
    await this.providers.close();
  }

  private createPartitions(): Promise<void> {
    return ensurePartitions(this.database, this.clock.now());
  }
}

/** The messaging service: requests, messages, history, deliveries. */
@Module({})
export class MessagingModule {
  static register(resources: MessagingResources): DynamicModule {
    const { databaseUrl, events, client, clock = systemClock, publishHistory = false, rendering } = resources;
    const { secretKeys = [], guard = new AddressGuard(), retention = RETENTION_DEFAULT, workTimes = new WorkTimes() } = resources;
    const publishes = { events: [providerConfigurationChanged], log: events };
    const providers = resources.openProviders();
    return {
      module: MessagingModule,
      imports: [
        PersistenceModule.forService({ schema: 'messaging', databaseUrl, entities: MESSAGING_ENTITIES, migrations: MIGRATIONS, publishes }),
      ],
      controllers: [
        MessagesHandlers,
        MessageActionsHandlers,
        RequestsHandlers,
        ProvidersHandlers,
        SendKeysHandlers,
        InboundHandlers,
        ErasureHandlers,
        BulkHandlers,
      ],
      providers: [
        { provide: Clock, useValue: clock },
        { provide: Timers, useValue: systemTimers },
        { provide: WorkTimes, useValue: workTimes },
        { provide: Providers, useValue: new Providers(providers) },
        {
          provide: HistoryPublisher,
          inject: [Database],
          useFactory: (database: Database) => (publishHistory ? HistoryPublisher.to(events, database) : HistoryPublisher.silent()),
        },
        { provide: OverrideSecrets, useValue: new OverrideSecrets(secretKeys) },
        { provide: ProviderSecrets, useValue: new ProviderSecrets(secretKeys) },
        { provide: AddressGuard, useValue: guard },
        { provide: ProviderChanges, useFactory: () => new ProviderChanges(events) },
        {
          provide: ProviderConfigurations,
          inject: [Database, ProviderSecrets, ProviderChanges],
          useFactory: (database: Database, secrets: ProviderSecrets, changes: ProviderChanges) =>
            new ProviderConfigurations(database, secrets, changes, defaultsOf(providers), { guard }),
        },
        SecretsReseal,
        ProviderRates,
        Breakers,
        { provide: ContentChanges, useFactory: () => new ContentChanges(events) },
        { provide: Renderer, useFactory: () => new Renderer(new RenderPool(rendering)) },
        {
          provide: ContentLoader,
          inject: [ContentChanges, OverrideSecrets],
          useFactory: (changes: ContentChanges, secrets: OverrideSecrets) => new ContentLoader(client, changes, secrets),
        },
        { provide: Recipients, useValue: new Recipients(client) },
        Preparation,
        Processor,
        OpenMessagesNotifier,
        OpenMessagesRunner,
        RateLimiter,
        ProviderCalls,
        { provide: TokenReporter, inject: [Database], useFactory: (database: Database) => new TokenReporter(database, client) },
        OutcomeWriter,
        Dispatcher,
        StoredMessageNotifier,
        ReadYourWrites,
        Cancellation,
        RequestCanceling,
        RequestCancellationSweeper,
        {
          provide: Resending,
          inject: [CallJournal, Clock, OverrideSecrets],
          useFactory: (journal: CallJournal, time: Clock, secrets: OverrideSecrets) => new Resending(journal, events, time, secrets),
        },
        ArchiveSweeper,
        {
          provide: Retention,
          inject: [Database, Clock],
          useFactory: (database: Database, time: Clock) => new Retention(database, time, retention),
        },
        { provide: TargetPages, inject: [Database], useFactory: (database: Database) => new TargetPages(client, new JobPages(database)) },
        ExpansionRunner,
        {
          provide: Router,
          inject: [Processor, ExpansionRunner, OverrideSecrets],
          useFactory: (processor: Processor, expansions: ExpansionRunner, secrets: OverrideSecrets) =>
            new Router(events, processor, expansions, secrets),
        },
        Pipeline,
      ],
    };
  }
}
