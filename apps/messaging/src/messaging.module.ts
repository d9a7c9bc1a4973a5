import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Database } from '@tidings/persistence/database';
import { CreateRelayCursor1700000000000 } from '@tidings/persistence/outbox.migrations';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import { RenderPool, type RenderPoolOptions } from '@tidings/rendering/pool/render-pool';
import { Clock, systemClock } from '@tidings/runtime/clock';
import type { ServiceResources } from '@tidings/runtime/service';
import { ContentChanges } from './content/content-changes';
import { Contents } from './content/contents';
import { Dispatcher } from './delivery/dispatcher';
import { OutcomeWriter } from './delivery/outcome-writer';
import { type EmailProvider, Providers } from './delivery/providers';
import { MessagesHandlers } from './messages/messages.handlers';
import { ReadWhatYouSent } from './messages/read-what-you-sent';
import { CreateMessages1764000000000 } from './migrations/create-messages';
import { PublishHistory1764000000001 } from './migrations/publish-history';
import { HistoryPublisher } from './publishing/history-publisher';
import { Arrivals } from './routing/arrivals';
import { Renderer } from './routing/renderer';
import { Router } from './routing/router';
import { ensurePartitions } from './store/partitions';

/** Partitions for the weeks to come are made once a day. */
const PARTITION_INTERVAL_MS = 86_400_000;

export interface MessagingResources extends ServiceResources {
  /** Every provider this process may call. */
  providers: readonly EmailProvider[];
  clock?: Clock;
  /** Puts the history of messages on its topics, for who reads them. Default: no. */
  publishHistory?: boolean;
  /** Of the threads that render what takes long. */
  rendering?: RenderPoolOptions;
}

const MIGRATIONS = [CreateRelayCursor1700000000000, CreateMessages1764000000000, PublishHistory1764000000001];

/** Order of start and stop: what feeds ends before what is fed. */
@Injectable()
class Pipeline implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private partitionTimer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Router) private readonly router: Router,
    @Inject(Renderer) private readonly renderer: Renderer,
    @Inject(Dispatcher) private readonly dispatcher: Dispatcher,
    @Inject(HistoryPublisher) private readonly history: HistoryPublisher,
    @Inject(Providers) private readonly providers: Providers,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.makePartitions();
    this.partitionTimer = setInterval(() => void this.makePartitions().catch(() => undefined), PARTITION_INTERVAL_MS).unref();
    this.history.start();
    this.dispatcher.start();
    await this.router.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.partitionTimer);
    await this.router.stop();
    await this.renderer.close();
    await this.dispatcher.stop();
    await this.history.stop();
    await this.providers.close();
  }

  private makePartitions(): Promise<void> {
    return ensurePartitions(this.database, this.clock.now());
  }
}

/** Requests, messages, history, deliveries. */
@Module({})
export class MessagingModule {
  static register(resources: MessagingResources): DynamicModule {
    const { databaseUrl, events, client, providers, clock = systemClock, publishHistory = false, rendering } = resources;
    return {
      module: MessagingModule,
      imports: [PersistenceModule.forService({ schema: 'messaging', databaseUrl, entities: [], migrations: MIGRATIONS })],
      controllers: [MessagesHandlers],
      providers: [
        { provide: Clock, useValue: clock },
        { provide: Providers, useValue: new Providers(providers) },
        {
          provide: HistoryPublisher,
          inject: [Database],
          useFactory: (database: Database) => (publishHistory ? HistoryPublisher.to(events, database) : HistoryPublisher.silent()),
        },
        { provide: ContentChanges, useFactory: () => new ContentChanges(events) },
        { provide: Renderer, useFactory: () => new Renderer(new RenderPool(rendering)) },
        OutcomeWriter,
        Dispatcher,
        Arrivals,
        ReadWhatYouSent,
        {
          provide: Router,
          inject: [Database, Dispatcher, Providers, Arrivals, HistoryPublisher, Clock, ContentChanges, Renderer],
          useFactory: (...[database, dispatcher, known, arrivals, history, time, changes, renderer]: RouterParts) =>
            new Router(events, client, database, dispatcher, known, arrivals, history, time, new Contents(client, changes), renderer),
        },
        Pipeline,
      ],
    };
  }
}

type RouterParts = [Database, Dispatcher, Providers, Arrivals, HistoryPublisher, Clock, ContentChanges, Renderer];
