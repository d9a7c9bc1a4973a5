import { identitySecrets } from '@tidings/contracts/identity/secrets';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { Resealing } from '@tidings/runtime/resealing';
import { SigningKeys } from '../keys/signing-keys';
import { ProfileStore } from '../profiles/profile-store';
import { type OnSealed, type ProfileColumn, sealedProfiles } from './sealed-profiles';

/** Seals the secrets of identity again: signing keys, and credentials in profiles. */
@Handles(identitySecrets)
export class SecretsHandlers extends Resealing {
  protected readonly tables = [
    () => this.signingKeys.reseal(),
    // Audience's copy may have the credentials that were published in clear.
    this.sealed({ table: 'profiles', ids: ['user_id'], column: 'profile' }, (tx, [workspaceId, userId], profile) =>
      this.profiles.publish(tx, { workspaceId, userId: userId!, profile }),
    ),
    this.sealed({ table: 'user_tenants', ids: ['user_id', 'tenant_id'], column: 'profile' }),
    this.sealed({ table: 'tenants', ids: ['tenant_id'], column: 'user_profile' }),
  ];

  constructor(
    private readonly database: Database,
    private readonly secrets: ProfileSecrets,
    private readonly signingKeys: SigningKeys,
    private readonly profiles: ProfileStore,
    journal: CallJournal,
  ) {
    super({ database, journal, keyId: secrets.keyId, pattern: identitySecrets.reseal.pattern });
  }

  private sealed(profiles: ProfileColumn, onSealed?: OnSealed) {
    return sealedProfiles(this.database, this.secrets, profiles, onSealed);
  }
}
