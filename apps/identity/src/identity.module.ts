import { type DynamicModule, Module } from '@nestjs/common';
import { membershipsChanged, profileChanged } from '@tidings/contracts/identity/events';
import { accessChanged } from '@tidings/contracts/identity/keys';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import type { ServiceResources } from '@tidings/runtime/service';
import { AuditEventsHandlers } from './audit/audit-events.handlers';
import * as entities from './entities';
import { ErasureHandlers } from './erasure/erasure.handlers';
import { IssuedTokensHandlers } from './keys/issued-tokens.handlers';
import { KeysHandlers } from './keys/keys.handlers';
import { SECRET_KEYS, SigningKeys } from './keys/signing-keys';
import { IDENTITY_MIGRATIONS } from './migrations/all';
import { PreferenceSectionsHandlers } from './preferences/preference-sections.handlers';
import { PreferenceTopicsHandlers } from './preferences/preference-topics.handlers';
import { RecipientPreferencesHandlers } from './preferences/recipient-preferences.handlers';
import { UserPreferencesHandlers } from './preferences/user-preferences.handlers';
import { ProfilesHandlers } from './profiles/profiles.handlers';
import { RecipientsHandlers } from './recipients/recipients.handlers';
import { AccountsHandlers } from './tenants/accounts.handlers';
import { Memberships } from './tenants/memberships';
import { MembershipsHandlers } from './tenants/memberships.handlers';
import { TenantMembersHandlers } from './tenants/tenant-members.handlers';
import { TenantsHandlers } from './tenants/tenants.handlers';
import { UserTenantsHandlers } from './tenants/user-tenants.handlers';
import { UserTokensHandlers } from './tokens/user-tokens.handlers';
import { WorkspacesHandlers } from './workspaces/workspaces.handlers';

interface IdentityResources extends ServiceResources {
  /** Keys of stored secrets: the first encrypts, all decrypt. Default: none. */
  secretKeys?: readonly Buffer[];
}

/** Workspaces and their credentials; users with profiles, tenants, push tokens and preferences; the recipients of a send. */
@Module({})
export class IdentityModule {
  /** The service's module for `startService`, with the resources of its process. It publishes to `events`. */
  static register({ databaseUrl, events, secretKeys = [] }: IdentityResources): DynamicModule {
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
        }),
      ],
      // Accounts use the handlers of tenants.
      providers: [{ provide: SECRET_KEYS, useValue: secretKeys }, SigningKeys, Memberships, TenantsHandlers],
      controllers: [
        WorkspacesHandlers,
        KeysHandlers,
        IssuedTokensHandlers,
        AuditEventsHandlers,
        ProfilesHandlers,
        RecipientsHandlers,
        PreferenceSectionsHandlers,
        PreferenceTopicsHandlers,
        UserPreferencesHandlers,
        RecipientPreferencesHandlers,
        UserTokensHandlers,
        TenantsHandlers,
        UserTenantsHandlers,
        TenantMembersHandlers,
        MembershipsHandlers,
        AccountsHandlers,
        ErasureHandlers,
      ],
    };
  }
}
