import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { getRepositoryToken } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CommandTransactions } from '@tidings/contracts/core/command-transactions';
import { KeyedCalls } from '@tidings/contracts/core/idempotency';
import { auditRecorded } from '@tidings/contracts/identity/audit-events';
import { AuditTrail, publishAuditRecord, type StoreAuditRecord } from './audit-trail';
import { CallJournal } from './call-journal';
import { ConsumerPositions } from './consumer-positions';
import { openDataSource, type SchemaOptions } from './data-source';
import { Database } from './database';
import { IdempotencyRecords } from './idempotency-records';
import { StoredKeyedCalls } from './keyed-calls';
import { Outbox } from './outbox';
import { OutboxRelay } from './outbox-relay';
import type { AnyEventDefinition, AppendLog } from './relay-source';
import { serviceMigrations } from './service-migrations';

export interface PersistenceOptions extends SchemaOptions {
  /**
   * Events the service publishes through its outbox, and the log. Adds the outbox's migrations, provides `Outbox`, and
   * runs an `OutboxRelay` from the application's start to its end.
   */
  publishes?: { events: readonly AnyEventDefinition[]; log: AppendLog };
  /** Stores the audit records of the service's operations. Default: with an outbox they are published for identity. */
  storeAuditRecord?: StoreAuditRecord;
}

/** Starts the relay; at shutdown stops the relay before the database. */
@Injectable()
class PersistenceLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Optional() @Inject(OutboxRelay) private readonly relay?: OutboxRelay,
  ) {}

  onApplicationBootstrap() {
    this.relay?.start();
  }

  async onApplicationShutdown() {
    await this.relay?.stop();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

/**
 * A service's own database. Exports `Database`, `CallJournal`, `CommandTransactions`, `KeyedCalls`, `IdempotencyRecords`,
 * `ConsumerPositions`, TypeORM's `DataSource`, the repository of every entity, and `Outbox` with its relay where the service publishes. Migrations run before
 * providers that inject these are created; connections close after the transports have stopped.
 *
 * Every module of the service's application sees the exports. Each call creates a data source of its own, so several services can
 * run in one process, and each injects a repository by `@InjectRepository(Entity)` without the name of a data source.
 */
@Module({})
export class PersistenceModule {
  static forService({ publishes: given, storeAuditRecord, ...options }: PersistenceOptions): DynamicModule {
    const publishes = given && !storeAuditRecord ? { ...given, events: [...given.events, auditRecorded] } : given;
    const migrations = serviceMigrations(options.migrations, { hasOutbox: publishes !== undefined });
    const repositories = options.entities.map((entity) => ({
      provide: getRepositoryToken(entity as Parameters<typeof getRepositoryToken>[0]),
      useFactory: (dataSource: DataSource) => dataSource.getRepository(entity),
      inject: [DataSource],
    }));
    return {
      module: PersistenceModule,
      global: true,
      providers: [
        { provide: DataSource, useFactory: () => openDataSource({ ...options, migrations }) },
        { provide: Database, useFactory: (dataSource: DataSource) => new Database(dataSource), inject: [DataSource] },
        { provide: ConsumerPositions, useFactory: (database: Database) => new ConsumerPositions(database), inject: [Database] },
        { provide: IdempotencyRecords, useFactory: (database: Database) => new IdempotencyRecords(database), inject: [Database] },
        {
          provide: CallJournal,
          useFactory: (database: Database, records: IdempotencyRecords, outbox?: Outbox) => {
            const store = storeAuditRecord ?? (outbox && publishAuditRecord(outbox));
            return new CallJournal(database, records, store && new AuditTrail(store));
          },
          inject: [Database, IdempotencyRecords, { token: Outbox, optional: true }],
        },
        { provide: KeyedCalls, useFactory: (records: IdempotencyRecords) => new StoredKeyedCalls(records), inject: [IdempotencyRecords] },
        { provide: CommandTransactions, useExisting: CallJournal },
        ...repositories,
        ...(publishes
          ? [
              {
                provide: Outbox,
                // Before any handler: the database may be an earlier state of the one whose events consumers have seen.
                useFactory: async (database: Database) => {
                  const outbox = new Outbox(database, options.schema, publishes.events);
                  await outbox.jumpAhead();
                  return outbox;
                },
                inject: [Database],
              },
              {
                provide: OutboxRelay,
                useFactory: (database: Database, source: Outbox) => new OutboxRelay({ database, source, log: publishes.log }),
                inject: [Database, Outbox],
              },
            ]
          : []),
        PersistenceLifecycle,
      ],
      exports: [
        DataSource,
        Database,
        CallJournal,
        CommandTransactions,
        ConsumerPositions,
        IdempotencyRecords,
        KeyedCalls,
        ...repositories.map(({ provide }) => provide),
        ...(publishes ? [Outbox, OutboxRelay] : []),
      ],
    };
  }
}
