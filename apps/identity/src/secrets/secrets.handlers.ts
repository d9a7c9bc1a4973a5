import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import type { ResealSecrets } from '@tidings/contracts/core/reseal';
import { identitySecrets } from '@tidings/contracts/identity/secrets';
import { Database, statement } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { Handles } from '@tidings/rpc/handles';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { resealAll, resealStep, type ResealTable } from '@tidings/runtime/reseal';
import { SigningKeys } from '../keys/signing-keys';
import { ProfileStore } from '../profiles/profile-store';
import { type OnSealed, type ProfileColumn, sealedProfiles } from './sealed-profiles';

// SQL because the table has one row and no entity.
const IS_SEALED = statement('sealing-is-sealed', 'select from sealing where key_id = $1');
const SET_SEALED = statement(
  'sealing-set-sealed',
  'insert into sealing (key_id) values ($1) on conflict (only_row) do update set key_id = excluded.key_id',
);

/**
 * Seals the secrets of identity again with the first secret key: in the background at the first start with that key, and when an operator
 * requests it. Also what was stored in clear before there was a key.
 */
@Handles(identitySecrets)
export class SecretsHandlers implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Secrets');
  private readonly tables: readonly ResealTable[] = [
    () => this.signingKeys.reseal(),
    // Audience's copy may have the credentials that were published in clear.
    this.sealed({ table: 'profiles', ids: ['user_id'], column: 'profile' }, (tx, [workspaceId, userId], profile) =>
      this.profiles.publish(tx, { workspaceId, userId: userId!, profile }),
    ),
    this.sealed({ table: 'user_tenants', ids: ['user_id', 'tenant_id'], column: 'profile' }),
    this.sealed({ table: 'tenants', ids: ['tenant_id'], column: 'user_profile' }),
  ];
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly secrets: ProfileSecrets,
    private readonly signingKeys: SigningKeys,
    private readonly profiles: ProfileStore,
  ) {}

  onApplicationBootstrap(): void {
    const { keyId } = this.secrets;
    if (keyId === undefined) return;
    this.running = this.sealOnce(keyId).catch((error: unknown) =>
      this.logger.warn(`Sealing stored secrets with the first key failed; retrying at the next start: ${reasonOf(error)}`),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** Without a secret key nothing is sealed: the one step ends at once. */
  async reseal(_context: CallContext, request: ResealSecrets) {
    if (this.secrets.keyId === undefined) return { done: true, resealed: 0, unreadable: 0 };
    return resealStep(this.tables, request);
  }

  private sealed(profiles: ProfileColumn, onSealed?: OnSealed) {
    return sealedProfiles(this.database, this.secrets, profiles, onSealed);
  }

  private async sealOnce(keyId: string) {
    if ((await this.database.query(IS_SEALED, [keyId])).length > 0) return;
    const { done, resealed, unreadable } = await resealAll(this.tables, () => this.stopped);
    if (resealed > 0) this.logger.log(`${resealed} stored secrets were sealed with the first key`);
    if (unreadable > 0) this.logger.error(`${unreadable} stored secrets cannot be opened with any key of TIDINGS_SECRET_KEY`);
    if (done) await this.database.execute(SET_SEALED, [keyId]);
  }
}
