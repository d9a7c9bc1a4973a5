import { notFound } from '@tidings/contracts/core/refusals';
import { columnsOf } from '@tidings/persistence/columns-of';
import type { EntityManager, ObjectLiteral } from 'typeorm';
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
import { Outbox } from '@tidings/persistence/outbox';
import { countForQuota } from '@tidings/persistence/quotas';
import { Handles } from '@tidings/rpc/handles';
import { deepEqual } from '../json/deep-equal';
import { deepMerge } from '@tidings/contracts/core/deep-merge';
import { applyPatch } from '../json/json-patch';
import { publishProfile, publishRemoval, replaceProfile, storableProfile, STORED_PROFILES } from './profile-store';
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

const WRITTEN: ProfileWritten = { status: 'SUCCESS' };

@Handles(profiles)
export class ProfilesHandlers {
  private readonly stored = batchedRead((keys: readonly ProfileKey[]) => this.read(keys));

  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
  ) {}

  async retrieve({ workspaceId }: CallContext, { user_id }: NamedUser) {
    const profile = await this.stored({ workspaceId, userId: user_id });
    if (!profile) throw noProfile(user_id);
    return { profile };
  }

  /** Objects are merged at every depth; other values, arrays and null too, replace the stored ones (`deepMerge`). */
  async merge(context: CallContext, { user_id: userId, profile, ...rest }: WriteProfile, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    const sql = transactionOf(tx);
    const first = storableProfile(userId, profile);
    const [row] = await sql.query<{ profile: ProfileFields; created: boolean }>(INSERT_OR_LOCK, [workspaceId, userId, first]);
    if (row!.created) {
      await publishProfile(sql, this.outbox, { workspaceId, userId, profile });
      await countForQuota(sql, context, STORED_PROFILES, 1);
    } else await this.write(tx, { workspaceId, userId }, row!.profile, deepMerge(row!.profile, profile));
    return WRITTEN;
  }

  async replace(context: CallContext, { user_id, profile, ...rest }: WriteProfile, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    await replaceProfile(transactionOf(tx), this.outbox, context, { workspaceId, userId: user_id, profile });
    return WRITTEN;
  }

  /** @throws ServiceError `not_found` without a profile: the paths of a patch refer to stored members. */
  async patch({ workspaceId }: CallContext, { user_id: userId, patch, ...rest }: PatchProfile, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const key = { workspaceId, userId };
    const row = await tx.findOne(ProfileEntity, { where: key, lock: { mode: 'pessimistic_write' } });
    if (!row) throw noProfile(userId);
    await this.write(tx, key, row.profile, applyPatch(row.profile, patch));
    return WRITTEN;
  }

  async remove(context: CallContext, { user_id: userId }: NamedUser, tx: EntityManager) {
    const { workspaceId } = context;
    const { affected } = await tx.delete(ProfileEntity, { workspaceId, userId });
    if (!affected) return;
    await publishRemoval(tx, this.outbox, { workspaceId, userId });
    await countForQuota(transactionOf(tx), context, STORED_PROFILES, -1);
  }

  private async read(keys: readonly ProfileKey[]) {
    const rows = await this.database.query<{ profile: ProfileFields | null }>(RETRIEVE, columnsOf(keys, 'workspaceId', 'userId'));
    return rows.map(({ profile }) => profile ?? undefined);
  }

  /** Stores the new value of a locked profile. An unchanged one costs no write, and no event unless it is empty. */
  private async write(tx: EntityManager, key: ProfileKey, before: object, after: unknown) {
    const text = storableProfile(key.userId, after);
    const profile = after as ProfileFields;
    const changed = !deepEqual(before, profile);
    if (changed) await tx.update<ObjectLiteral>(ProfileEntity, key, { profile, updatedAt: () => 'now()' });
    if (changed || text === '{}') await publishProfile(transactionOf(tx), this.outbox, { ...key, profile });
  }
}

const noProfile = (userId: string) => notFound(`User ${userId} has no profile`);
