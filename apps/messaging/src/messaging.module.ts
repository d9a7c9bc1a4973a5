import { type BeforeApplicationShutdown, type DynamicModule, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { providerConfigurationChanged } from '@tidings/contracts/messaging/providers';
import { WorkTimes } from '@tidings/jobs/work-times';
import { Database } from '@tidings/persistence/database';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { RenderPool, type RenderPoolOptions } from '@tidings/rendering/pool/render-pool';
import { Clock, systemClock } from '@tidings/runtime/clock';
import { OperationClient } from '@tidings/rpc/operation-client';
import type { ServiceResources } from '@tidings/runtime/service';
import { systemTimers, Timers } from '@tidings/runtime/timers';
import { RequestCancellationSweeper } from './actions/request-cancellations';
import { MessageActionsHandlers } from './actions/message-actions.handlers';
import { BulkHandlers } from './expand/bulk/bulk.handlers';
import { ContentChanges, ContentLoader } from './context/content-loader';
import { Dispatcher } from './deliver/dispatcher';
import { ProviderCalls } from './deliver/provider-calls';
import { OutcomeWriter } from './deliver/outcome-writer';
import { RateLimiter } from './providers/provider-rate';
import { MESSAGING_ENTITIES } from './entities';
import { ErasureHandlers } from './erasure/erasure.handlers';
import { SendKeysHandlers } from './accept/send-keys.handlers';
import { MessagesHandlers } from './queries/messages.handlers';
import { ReadYourWrites } from './queries/read-your-writes';
import { MESSAGING_MIGRATIONS } from './migrations/all';
import { Breakers } from './providers/breakers';
import { DEFAULT_PROVIDERS, type EmailProvider, ProviderChanges, ProviderConfigurations } from './providers/provider-configurations';
import { ProviderSecrets, SecretsReseal } from './providers/provider-secrets';
import { ProvidersHandlers } from './providers/providers.handlers';
import { ExpansionRunner } from './expand/expansion.runner';
import { HistoryPublisher } from './publish/history-publisher';
import { OpenMessagesNotifier, StoredMessageNotifier } from './record/notifiers';
import { InboundHandlers } from './inbound/inbound.handlers';
import { Renderer } from './deliver/renderer';
import { OpenMessagesRunner } from './accept/open-messages.runner';
import { Preparation } from './context/preparation';
import { Processor } from './deliver/processor';
import { Router } from './accept/router';
import { ArchiveSweeper, RequestsHandlers } from './queries/requests.handlers';
import { EVENT_LOG } from './resources';
import { Retention, RETENTION_DEFAULT, RETENTION_TIMES, type RetentionTimes } from './retention/retention';
import { ensurePartitions } from './record/partitions';
import { TokenReporter } from './deliver/token-reporter';

/** Partitions for the coming weeks are created once a day. */
const PARTITION_INTERVAL_MS = 86_400_000;

/** What the process gives the module. */
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

/** Starts and stops the pipeline in order: producers stop before their consumers. */
@Injectable()
class Pipeline implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private partitionTimer: NodeJS.Timeout | undefined;
  private warmUp: NodeJS.Immediate | undefined;

  constructor(
    private readonly database: Database,
    private readonly router: Router,
    private readonly openMessages: OpenMessagesRunner,
    private readonly expansions: ExpansionRunner,
    private readonly renderer: Renderer,
    private readonly dispatcher: Dispatcher,
    private readonly history: HistoryPublisher,
    private readonly configurations: ProviderConfigurations,
    private readonly clock: Clock,
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
  }

  private createPartitions() {
    return ensurePartitions(this.database, this.clock.now());
  }
}

/** The messaging service: requests, messages, history, deliveries. */
@Module({})
export class MessagingModule {
  static register(resources: MessagingResources): DynamicModule {
    const { databaseUrl, events, client, clock = systemClock, publishHistory, rendering } = resources;
    const { secretKeys = [], guard = new AddressGuard(), retention = RETENTION_DEFAULT, workTimes = new WorkTimes() } = resources;
    const publishes = { events: [providerConfigurationChanged], log: events };
    return {
      module: MessagingModule,
      imports: [
        PersistenceModule.forService({
          schema: 'messaging',
          databaseUrl,
          entities: MESSAGING_ENTITIES,
          migrations: MESSAGING_MIGRATIONS,
          publishes,
        }),
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
        { provide: EVENT_LOG, useValue: events },
        { provide: OperationClient, useValue: client },
        { provide: Clock, useValue: clock },
        { provide: Timers, useValue: systemTimers },
        { provide: WorkTimes, useValue: workTimes },
        { provide: RETENTION_TIMES, useValue: retention },
        { provide: DEFAULT_PROVIDERS, useValue: resources.openProviders() },
        { provide: OverrideSecrets, useValue: new OverrideSecrets(secretKeys) },
        { provide: ProviderSecrets, useValue: new ProviderSecrets(secretKeys) },
        { provide: AddressGuard, useValue: guard },
        { provide: RenderPool, useFactory: () => new RenderPool(rendering) },
        {
          provide: HistoryPublisher,
          inject: [Database],
          useFactory: (database: Database) => (publishHistory ? HistoryPublisher.to(events, database) : new HistoryPublisher()),
        },
        ProviderChanges,
        ProviderConfigurations,
        SecretsReseal,
        Breakers,
        ContentChanges,
        ContentLoader,
        Renderer,
        Preparation,
        Processor,
        OpenMessagesNotifier,
        OpenMessagesRunner,
        RateLimiter,
        ProviderCalls,
        TokenReporter,
        OutcomeWriter,
        Dispatcher,
        StoredMessageNotifier,
        ReadYourWrites,
        RequestCancellationSweeper,
        ArchiveSweeper,
        Retention,
        ExpansionRunner,
        Router,
        Pipeline,
      ],
    };
  }
}
