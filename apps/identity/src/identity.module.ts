import { type DynamicModule, Module } from '@nestjs/common';
import { accessChanged } from '@tidings/contracts/identity/keys';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import type { ServiceResources } from '@tidings/runtime/service';
import { KeysHandlers } from './keys/keys.handlers';
import { IDENTITY_MIGRATIONS } from './migrations/all';
import { ProfilesHandlers } from './profiles/profiles.handlers';
import { RecipientsHandlers } from './recipients/recipients.handlers';
import { WorkspacesHandlers } from './workspaces/workspaces.handlers';

/** Workspaces, API keys, profiles; what a send must know of its recipients. */
@Module({})
export class IdentityModule {
  /** The service with what its process gives it, to be started by `startService`. Publishes `accessChanged` to `events`. */
  static register({ databaseUrl, events }: ServiceResources): DynamicModule {
    const publishes = { events: [accessChanged], log: events };
    return {
      module: IdentityModule,
      imports: [
        PersistenceModule.forService({ schema: 'identity', databaseUrl, entities: [], migrations: IDENTITY_MIGRATIONS, publishes }),
      ],
      controllers: [WorkspacesHandlers, KeysHandlers, ProfilesHandlers, RecipientsHandlers],
    };
  }
}
