import { Injectable } from '@nestjs/common';
import { storableObject } from '@tidings/contracts/core/text';
import { type ProfileChanged, profileChanged } from '@tidings/contracts/identity/events';
import { hasCredentials, withoutCredentials } from '@tidings/contracts/identity/profile-credentials';
import { PROFILE_BYTES_MAX, type ProfileFields } from '@tidings/contracts/identity/profiles';
import { statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { type Counted, countForQuota, type QuotaOwner } from '@tidings/persistence/quotas';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import type { EntityManager, ObjectLiteral } from 'typeorm';
import { deepEqual } from '../json/deep-equal';
import { ProfileEntity } from './profile.entity';

// SQL because profiles are written as JSON text, and the database compares the stored one with it.
/** Changes no row where the profile stays the same, unless it is empty (`publishProfile`). */
const REPLACE = statement(
  'profiles-replace',
  `insert into profiles (workspace_id, user_id, profile) values ($1, $2, $3)
   on conflict (workspace_id, user_id) do update set profile = excluded.profile, updated_at = now()
   where profiles.profile <> excluded.profile or excluded.profile = '{}'
   returning xmax = 0 as created`,
);

// SQL because the count ends at the quota.
export const STORED_PROFILES: Counted = {
  name: 'profiles',
  count: statement('profiles-count', 'select count(*) as count from (select 1 from profiles where workspace_id = $1 limit $2) found'),
};

// SQL because one statement inserts the row, or locks and returns the stored one.
/**
 * The stored profile, its row locked until the transaction ends; inserted as given when there was none. The update changes nothing
 * but locks the row: no other writer comes between reading and writing, nor do two first writers collide.
 */
const INSERT_OR_LOCK = statement(
  'profiles-insert-or-lock',
  `insert into profiles (workspace_id, user_id, profile) values ($1, $2, $3)
   on conflict (workspace_id, user_id) do update set updated_at = profiles.updated_at
   returning profile, xmax = 0 as created`, // an existing row carries this transaction's lock in xmax
);

type ProfileKey = Omit<ProfileChanged, 'profile'>;

/** Profiles as they are stored, their credentials sealed, and as they are published, without credentials. */
@Injectable()
export class ProfileStore {
  constructor(
    private readonly outbox: Outbox,
    private readonly secrets: ProfileSecrets,
  ) {}

  /**
   * Replaces the stored profile, and publishes it when it changed.
   * @throws ServiceError for one that cannot be stored, and as `countForQuota`.
   */
  async replace(tx: EntityManager, owner: QuotaOwner, { userId, profile }: Omit<ProfileChanged, 'workspaceId'>): Promise<void> {
    const { workspaceId } = owner;
    // Sealed credentials differ at every sealing: the database cannot compare them.
    if (hasCredentials(profile)) return this.change(tx, owner, userId, profile, () => profile);
    const values = [workspaceId, userId, storableProfile(userId, profile)];
    const sql = transactionOf(tx);
    const [row] = await sql.query<{ created: boolean }>(REPLACE, values);
    if (!row) return;
    await this.publish(sql, { workspaceId, userId, profile });
    if (row.created) await countForQuota(sql, owner, STORED_PROFILES, 1);
  }

  /**
   * Stores `first` where the user has no profile, else what `change` makes of the stored one.
   * @throws ServiceError for one that cannot be stored, and as `countForQuota`.
   */
  async change(
    tx: EntityManager,
    owner: QuotaOwner,
    userId: string,
    first: ProfileFields,
    change: (stored: ProfileFields) => ProfileFields,
  ): Promise<void> {
    const { workspaceId } = owner;
    const sql = transactionOf(tx);
    const values = [workspaceId, userId, this.stored({ workspaceId, userId }, first)];
    const [row] = await sql.query<{ profile: ProfileFields; created: boolean }>(INSERT_OR_LOCK, values);
    if (row!.created) {
      await this.publish(sql, { workspaceId, userId, profile: first });
      return countForQuota(sql, owner, STORED_PROFILES, 1);
    }
    await this.write(tx, { workspaceId, userId }, row!.profile, change);
  }

  /**
   * Stores the new value of a locked profile. An unchanged one costs no write, and no event unless it is empty.
   * @param stored the profile as it is stored.
   * @param change makes the new value of the profile with its credentials opened.
   */
  async write(tx: EntityManager, key: ProfileKey, stored: ProfileFields, change: (opened: ProfileFields) => unknown): Promise<void> {
    const before = this.secrets.open(key.workspaceId, stored);
    const after = change(before);
    storableProfile(key.userId, after);
    const profile = after as ProfileFields;
    this.secrets.assertGiven(profile, { stored: before });
    const changed = !deepEqual(before, profile);
    const sealed = this.secrets.seal(key.workspaceId, profile, stored);
    if (changed) await tx.update<ObjectLiteral>(ProfileEntity, key, { profile: sealed, updatedAt: () => 'now()' });
    if (changed || Object.keys(profile).length === 0) await this.publish(transactionOf(tx), { ...key, profile });
  }

  /** Publishes that a user has no profile: the tombstone removes older records from the compacted topic. */
  async publishRemoval(tx: EntityManager, user: ProfileKey): Promise<void> {
    await this.outbox.add(transactionOf(tx), profileChanged, { payload: null, key: profileChanged.keyOf({ ...user, profile: {} }) });
  }

  /**
   * Publishes a profile that a caller wrote. An empty one is published at every write: the stored one may come from a send to an
   * unknown user, which publishes nothing.
   */
  async publish(tx: Transaction, changed: ProfileChanged): Promise<void> {
    await this.outbox.add(tx, profileChanged, { payload: { ...changed, profile: withoutCredentials(changed.profile) } });
  }

  /** The profile as the JSON text to store. */
  private stored({ workspaceId, userId }: ProfileKey, profile: ProfileFields) {
    const text = storableProfile(userId, profile);
    this.secrets.assertGiven(profile);
    const sealed = this.secrets.seal(workspaceId, profile);
    return sealed === profile ? text : JSON.stringify(sealed);
  }
}

/** The profile as JSON text of at most `PROFILE_BYTES_MAX` bytes. @throws ServiceError as `storableObject`. */
function storableProfile(userId: string, profile: unknown) {
  return storableObject(`The profile of ${userId}`, profile, PROFILE_BYTES_MAX, 'profile');
}
