import { notFound } from '@tidings/contracts/core/refusals';
import { columnsOf } from '@tidings/persistence/columns-of';
import type { EntityManager } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import {
  type NamedUser,
  type PatchProfile,
  type ProfileFields,
  profiles,
  type ProfileWritten,
  type WriteProfile,
} from '@tidings/contracts/identity/profiles';
import { Database, statement, transactionOf } from '@tidings/persistence/database';
import { batchedRead } from '@tidings/persistence/batched-read';
import { countForQuota } from '@tidings/persistence/quotas';
import { Handles } from '@tidings/rpc/handles';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { deepMerge } from '@tidings/contracts/core/deep-merge';
import { applyPatch } from '../json/json-patch';
import { ProfileStore, STORED_PROFILES } from './profile-store';
import { ProfileEntity } from './profile.entity';

interface ProfileKey {
  workspaceId: string;
  userId: string;
}

// SQL because profiles are read in batches.
/** A row for each pair, in input order. The subquery makes the plan one primary key lookup for each pair. */
const RETRIEVE = statement(
  'profiles-retrieve',
  `select (select stored.profile from profiles stored
            where stored.workspace_id = pair.workspace_id and stored.user_id = pair.user_id) as profile
     from unnest($1::uuid[], $2::text[]) with ordinality as pair (workspace_id, user_id, ordinal)
    order by ordinal`,
);

const WRITTEN: ProfileWritten = { status: 'SUCCESS' };

@Handles(profiles)
export class ProfilesHandlers {
  private readonly stored = batchedRead((keys: readonly ProfileKey[]) => this.read(keys));

  constructor(
    private readonly database: Database,
    private readonly store: ProfileStore,
    private readonly secrets: ProfileSecrets,
  ) {}

  async retrieve({ workspaceId }: CallContext, { user_id }: NamedUser) {
    const profile = await this.stored({ workspaceId, userId: user_id });
    if (!profile) throw noProfile(user_id);
    return { profile: this.secrets.openForReader(workspaceId, profile, { path: 'profile', of: `user ${user_id}` }) };
  }

  /** Objects are merged at every depth; other values, arrays and null too, replace the stored ones (`deepMerge`). */
  async merge(context: CallContext, { user_id: userId, profile, ...rest }: WriteProfile, tx: EntityManager) {
    rest satisfies Record<string, never>;
    await this.store.change(tx, context, userId, profile, (stored) => deepMerge(stored, profile));
    return WRITTEN;
  }

  async replace(context: CallContext, { user_id, profile, ...rest }: WriteProfile, tx: EntityManager) {
    rest satisfies Record<string, never>;
    await this.store.replace(tx, context, { userId: user_id, profile });
    return WRITTEN;
  }

  /** @throws ServiceError `not_found` without a profile: the paths of a patch refer to stored members. */
  async patch({ workspaceId }: CallContext, { user_id: userId, patch, ...rest }: PatchProfile, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const key = { workspaceId, userId };
    const row = await tx.findOne(ProfileEntity, { where: key, lock: { mode: 'pessimistic_write' } });
    if (!row) throw noProfile(userId);
    await this.store.write(tx, key, row.profile as ProfileFields, (stored) => applyPatch(stored, patch));
    return WRITTEN;
  }

  async remove(context: CallContext, { user_id: userId }: NamedUser, tx: EntityManager) {
    const { workspaceId } = context;
    const { affected } = await tx.delete(ProfileEntity, { workspaceId, userId });
    if (!affected) return;
    await this.store.publishRemoval(tx, { workspaceId, userId });
    await countForQuota(transactionOf(tx), context, STORED_PROFILES, -1);
  }

  private async read(keys: readonly ProfileKey[]) {
    const rows = await this.database.query<{ profile: ProfileFields | null }>(RETRIEVE, columnsOf(keys, 'workspaceId', 'userId'));
    return rows.map(({ profile }) => profile ?? undefined);
  }
}

const noProfile = (userId: string) => notFound(`User ${userId} has no profile`);
