import { type DynamicModule, Module } from '@nestjs/common';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import type { ServiceResources } from '@tidings/runtime/service';
import { CONTENT_MIGRATIONS } from './migrations/all';

/** Brands, templates, routing strategies, translations. Has its schema and no operations yet. */
@Module({})
export class ContentModule {
  /** The service with what its process gives it, to be started by `startService`. */
  static register({ databaseUrl }: ServiceResources): DynamicModule {
    return {
      module: ContentModule,
      imports: [PersistenceModule.forService({ schema: 'content', databaseUrl, entities: [], migrations: CONTENT_MIGRATIONS })],
    };
  }
}
