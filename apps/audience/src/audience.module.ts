import { type DynamicModule, Module } from '@nestjs/common';
import { audienceHappened } from '@tidings/contracts/audience/events';
import { Database } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import type { ServiceResources } from '@tidings/runtime/service';
import { ErasureHandlers } from './erasure/erasure.handlers';
import { ListMembersHandlers } from './list-members/list-members.handlers';
import { ListsHandlers } from './lists/lists.handlers';
import { ProfileListsHandlers } from './subscriptions/profile-lists.handlers';
import { SET_SWEEP_MS, SetSweeper } from './lists/set-sweeper';
import { SubscriptionsHandlers } from './subscriptions/subscriptions.handlers';
import { AudienceMembersHandlers } from './audiences/audience-members.handlers';
import { AudiencesHandlers } from './audiences/audiences.handlers';
import { REBUILD_OPTIONS, type RebuildOptions, RebuildWorker } from './audiences/rebuild/rebuild-worker';
import { AUDIENCE_ENTITIES } from './entities';
import { AUDIENCE_MIGRATIONS } from './migrations/all';
import { PeopleProjection } from './audiences/people-projection';
import { PeoplePurger } from './people/people-purger';

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
  static register({ databaseUrl, events, rebuilds = {}, setSweepMs = SET_SWEEP_MS }: AudienceResources): DynamicModule {
    const publishes = { events: [audienceHappened], log: events };
    return {
      module: AudienceModule,
      imports: [
        PersistenceModule.forService({
          schema: 'audience',
          databaseUrl,
          entities: AUDIENCE_ENTITIES,
          migrations: AUDIENCE_MIGRATIONS,
          publishes,
        }),
      ],
      providers: [
        {
          provide: PeopleProjection,
          inject: [Database, Outbox],
          useFactory: (database: Database, outbox: Outbox) => new PeopleProjection(events, database, outbox),
        },
        {
          provide: RebuildWorker,
          inject: [Database, Outbox],
          useFactory: (database: Database, outbox: Outbox) => new RebuildWorker(database, outbox, { ...REBUILD_OPTIONS, ...rebuilds }),
        },
        PeoplePurger,
        { provide: SetSweeper, inject: [Database], useFactory: (database: Database) => new SetSweeper(database, setSweepMs) },
      ],
      controllers: [
        ListsHandlers,
        SubscriptionsHandlers,
        ProfileListsHandlers,
        ListMembersHandlers,
        AudiencesHandlers,
        AudienceMembersHandlers,
        ErasureHandlers,
      ],
    };
  }
}
