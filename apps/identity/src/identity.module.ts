import { type DynamicModule, Module } from '@nestjs/common';
import { YEAR_MS } from '@tidings/contracts/core/duration';
import { identityDeadLetters } from '@tidings/contracts/identity/dead-letters';
import { identityStatus } from '@tidings/contracts/identity/status';
import { membershipsChanged, profileChanged } from '@tidings/contracts/identity/events';
import { accessChanged } from '@tidings/contracts/identity/keys';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import { DeadLettersModule } from '@tidings/runtime/dead-letters.module';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { EVENT_LOG, ResourcesModule } from '@tidings/runtime/resources.module';
import type { ServiceResources } from '@tidings/runtime/service';
import { StatusModule } from '@tidings/runtime/status.module';
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
import { PREFERENCE_LOG_RETENTION } from './preferences/preference-log-retention';
import { PreferencesModule } from './preferences/preferences.module';
import { ProfilesModule } from './profiles/profiles.module';
import { RecipientsModule } from './recipients/recipients.module';
import { SecretsModule } from './secrets/secrets.module';
import { SessionsModule } from './sessions/sessions.module';
import { TenantsModule } from './tenants/tenants.module';
import { TokensModule } from './tokens/tokens.module';
import type { FirstKey } from './workspaces/first-workspace';
import { WorkspacesModule } from './workspaces/workspaces.module';

interface IdentityResources extends ServiceResources {
  /** Keys of stored secrets: the first encrypts, all decrypt. Default: none. */
  secretKeys?: readonly Buffer[];
  /** The key of the first workspace. Default: none is created at the start. */
  firstKey?: FirstKey;
  /** Retention of the log of preferences, that of message records. Default: a year. */
  messageRetentionMs?: number;
  /** Rate of workspaces without one of their own: `50/s`. Default: none. */
  rateLimit?: string;
}

/** Workspaces and their credentials; users with profiles, tenants, push tokens and preferences; the recipients of a send. */
@Module({})
export class IdentityModule {
  /** The service's module for `startService`, with the resources of its process. It publishes to `events`. */
  static register(resources: IdentityResources): DynamicModule {
    const { databaseUrl, database, events, health, secretKeys = [], firstKey, rateLimit, messageRetentionMs = YEAR_MS } = resources;
    const publishes = { events: [accessChanged, profileChanged, membershipsChanged], log: events };
    return {
      module: IdentityModule,
      imports: [
        PersistenceModule.forService({
          ...database,
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
          { provide: PREFERENCE_LOG_RETENTION, useValue: messageRetentionMs },
          { provide: DEFAULT_RATE, useValue: rateLimit ?? null },
          { provide: ProfileSecrets, useValue: new ProfileSecrets(secretKeys) },
        ]),
        WorkspacesModule.with(firstKey),
        KeysModule,
        SessionsModule,
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
        DeadLettersModule.of('identity', identityDeadLetters),
        StatusModule.of('identity', identityStatus, health),
      ],
    };
  }
}
