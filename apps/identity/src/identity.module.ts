import { type DynamicModule, Module } from '@nestjs/common';
import { membershipsChanged, profileChanged } from '@tidings/contracts/identity/events';
import { accessChanged } from '@tidings/contracts/identity/keys';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { EVENT_LOG, ResourcesModule } from '@tidings/runtime/resources.module';
import type { ServiceResources } from '@tidings/runtime/service';
import { storeAuditRecords } from './audit/audit-log';
import { AuditModule } from './audit/audit.module';
import * as entities from './entities';
import { DEFAULT_RATE } from './default-rate';
import { ErasureModule } from './erasure/erasure.module';
import { EventTopicsModule } from './event-topics/event-topics.module';
import { KeysModule } from './keys/keys.module';
import { SECRET_KEYS } from './keys/signing-keys';
import { LimitsModule } from './limits/limits.module';
import { IDENTITY_MIGRATIONS } from './migrations/all';
import { PreferencesModule } from './preferences/preferences.module';
import { ProfilesModule } from './profiles/profiles.module';
import { RecipientsModule } from './recipients/recipients.module';
import { SecretsModule } from './secrets/secrets.module';
import { TenantsModule } from './tenants/tenants.module';
import { TokensModule } from './tokens/tokens.module';
import type { FirstKey } from './workspaces/first-workspace';
import { WorkspacesModule } from './workspaces/workspaces.module';

interface IdentityResources extends ServiceResources {
  /** Keys of stored secrets: the first encrypts, all decrypt. Default: none. */
  secretKeys?: readonly Buffer[];
  /** The key of the first workspace. Default: none is created at the start. */
  firstKey?: FirstKey;
  /** Rate of workspaces without one of their own: `50/s`. Default: none. */
  rateLimit?: string;
}

/** Workspaces and their credentials; users with profiles, tenants, push tokens and preferences; the recipients of a send. */
@Module({})
export class IdentityModule {
  /** The service's module for `startService`, with the resources of its process. It publishes to `events`. */
  static register({ databaseUrl, events, secretKeys = [], firstKey, rateLimit }: IdentityResources): DynamicModule {
    const publishes = { events: [accessChanged, profileChanged, membershipsChanged], log: events };
    return {
      module: IdentityModule,
      imports: [
        PersistenceModule.forService({
          schema: 'identity',
          databaseUrl,
          entities: Object.values(entities),
          migrations: IDENTITY_MIGRATIONS,
          publishes,
          storeAuditRecord: (tx, record) => storeAuditRecords(tx, [record]),
        }),
        ResourcesModule.of([
          { provide: EVENT_LOG, useValue: events },
          { provide: SECRET_KEYS, useValue: secretKeys },
          { provide: DEFAULT_RATE, useValue: rateLimit ?? null },
          { provide: ProfileSecrets, useValue: new ProfileSecrets(secretKeys) },
        ]),
        WorkspacesModule.with(firstKey),
        KeysModule,
        LimitsModule,
        AuditModule,
        ProfilesModule,
        RecipientsModule,
        PreferencesModule,
        TokensModule,
        TenantsModule,
        ErasureModule,
        EventTopicsModule,
        SecretsModule,
      ],
    };
  }
}
