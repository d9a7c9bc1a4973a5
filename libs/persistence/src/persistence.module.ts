import { type DynamicModule, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { getRepositoryToken } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { openDataSource, type SchemaOptions } from './data-source';
import { Database } from './database';

export type PersistenceOptions = SchemaOptions;

@Injectable()
class DataSourceCloser implements OnApplicationShutdown {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

/**
 * A service's own database. To whoever imports it: `Database`, TypeORM's `DataSource`, and the repository of every entity
 * for `@InjectRepository(Entity)`. Migrations have run before anything that injects these is made; connections close after
 * everything else has stopped.
 *
 * Each call makes a data source of its own, known to nobody outside the importing module, so several services live in one
 * process. (`TypeOrmModule` keeps data sources by name in process-wide tables, where they would meet.)
 */
@Module({})
export class PersistenceModule {
  static forService(options: PersistenceOptions): DynamicModule {
    const repositories = options.entities.map((entity) => ({
      provide: getRepositoryToken(entity as Parameters<typeof getRepositoryToken>[0]),
      useFactory: (dataSource: DataSource) => dataSource.getRepository(entity),
      inject: [DataSource],
    }));
    return {
      module: PersistenceModule,
      providers: [
        { provide: DataSource, useFactory: () => openDataSource(options) },
        { provide: Database, useFactory: (dataSource: DataSource) => Database.of(dataSource), inject: [DataSource] },
        ...repositories,
        DataSourceCloser,
      ],
      exports: [DataSource, Database, ...repositories.map(({ provide }) => provide)],
    };
  }
}
