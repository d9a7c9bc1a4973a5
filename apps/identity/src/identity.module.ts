import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { accessChanged } from '@tidings/contracts/identity/keys';
import { Database } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { OutboxRelay } from '@tidings/persistence/outbox-relay';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import type { ServiceResources } from '@tidings/runtime/service';
import { KeysHandlers } from './keys/keys.handlers';
import { IDENTITY_MIGRATIONS } from './migrations/all';
import { ProfilesHandlers } from './profiles/profiles.handlers';
import { RecipientsHandlers } from './recipients/recipients.handlers';
import { WorkspacesHandlers } from './workspaces/workspaces.handlers';

const SCHEMA = 'identity';

/** Publishes for as long as the service runs: until the last call is answered, before the connections close. */
@Injectable()
class Publishing implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(@Inject(OutboxRelay) private readonly relay: OutboxRelay) {}

  onApplicationBootstrap(): void {
    this.relay.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.relay.stop();
  }
}

/** Workspaces, API keys, profiles; what a send must know of its recipients. */
@Module({})
export class IdentityModule {
  /** The service with what its process gives it, to be started by `startService`. Publishes `accessChanged` to `events`. */
  static register({ databaseUrl, events }: ServiceResources): DynamicModule {
    return {
      module: IdentityModule,
      imports: [PersistenceModule.forService({ schema: SCHEMA, databaseUrl, entities: [], migrations: IDENTITY_MIGRATIONS })],
      controllers: [WorkspacesHandlers, KeysHandlers, ProfilesHandlers, RecipientsHandlers],
      providers: [
        { provide: Outbox, inject: [Database], useFactory: (database: Database) => new Outbox(database, SCHEMA, [accessChanged]) },
        {
          provide: OutboxRelay,
          inject: [Database, Outbox],
          useFactory: (database: Database, source: Outbox) => new OutboxRelay({ database, source, log: events }),
        },
        Publishing,
      ],
    };
  }
}
