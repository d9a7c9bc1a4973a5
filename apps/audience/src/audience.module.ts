import { type DynamicModule, Module } from '@nestjs/common';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import type { ServiceResources } from '@tidings/runtime/service';
import { AUDIENCE_MIGRATIONS } from './migrations/all';

/** Lists, subscriptions, audiences and their members. Has its schema and no operations yet. */
@Module({})
export class AudienceModule {
  /** The service with what its process gives it, to be started by `startService`. */
  static register({ databaseUrl }: ServiceResources): DynamicModule {
    return {
      module: AudienceModule,
      imports: [PersistenceModule.forService({ schema: 'audience', databaseUrl, entities: [], migrations: AUDIENCE_MIGRATIONS })],
    };
  }
}
