import { type DynamicModule, Module } from '@nestjs/common';
import { audienceDeadLetters } from '@tidings/contracts/audience/dead-letters';
import { audienceStatus } from '@tidings/contracts/audience/status';
import { audienceHappened } from '@tidings/contracts/audience/events';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import { DeadLettersModule } from '@tidings/runtime/dead-letters.module';
import { EVENT_LOG, ResourcesModule } from '@tidings/runtime/resources.module';
import type { ServiceResources } from '@tidings/runtime/service';
import { StatusModule } from '@tidings/runtime/status.module';
import { AudiencesModule } from './audiences/audiences.module';
import { REBUILD_OPTIONS, REBUILD_OPTIONS_TOKEN, type RebuildOptions } from './audiences/rebuild/rebuild-worker';
import { AUDIENCE_ENTITIES } from './entities';
import { ErasureModule } from './erasure/erasure.module';
import { ListMembersModule } from './list-members/list-members.module';
import { ListsModule } from './lists/lists.module';
import { SET_SWEEP_MS, SET_SWEEP_MS_TOKEN } from './lists/set-sweeper';
import { AUDIENCE_MIGRATIONS } from './migrations/all';
import { PeopleModule } from './people/people.module';
import { SubscriptionsModule } from './subscriptions/subscriptions.module';

interface AudienceResources extends ServiceResources {
  /** Options of the rebuild worker that differ from `REBUILD_OPTIONS`. */
  rebuilds?: Partial<RebuildOptions>;
  /** Interval at which dropped subscriptions are removed, in ms. */
  setSweepMs?: number;
}

/** Lists and their subscribers; audiences and their members, computed from identity's profile and tenant events. */
@Module({})
export class AudienceModule {
  /** The service with the resources of its process, for `startService`. Its events go to `events`. */
  static register({ databaseUrl, database, events, health, rebuilds = {}, setSweepMs = SET_SWEEP_MS }: AudienceResources): DynamicModule {
    const publishes = { events: [audienceHappened], log: events };
    return {
      module: AudienceModule,
      imports: [
        PersistenceModule.forService({
          ...database,
          schema: 'audience',
          databaseUrl,
          entities: AUDIENCE_ENTITIES,
          migrations: AUDIENCE_MIGRATIONS,
          publishes,
        }),
        ResourcesModule.of([
          { provide: EVENT_LOG, useValue: events },
          { provide: REBUILD_OPTIONS_TOKEN, useValue: { ...REBUILD_OPTIONS, ...rebuilds } },
          { provide: SET_SWEEP_MS_TOKEN, useValue: setSweepMs },
        ]),
        ListsModule,
        SubscriptionsModule,
        ListMembersModule,
        AudiencesModule,
        PeopleModule,
        ErasureModule,
        DeadLettersModule.of('audience', audienceDeadLetters),
        StatusModule.of('audience', audienceStatus, health),
      ],
    };
  }
}
