import type { EntityManager } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import {
  type GetProfile,
  type PatchProfile,
  type Profile,
  type ProfileFields,
  profiles,
  type ProfileWritten,
  type WriteProfile,
} from '@tidings/contracts/identity/profiles';
import { profileChanged } from '@tidings/contracts/identity/events';
import { Database, statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { batchedRead } from '@tidings/persistence/batched-read';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { deepEqual } from '../json/deep-equal';
import { deepMerge } from '@tidings/contracts/core/deep-merge';
import { applyPatch } from '../json/json-patch';
import { storableProfile } from './profile-rules';
import { publishProfile, replaceProfile } from './profile-store';

interface ProfileRow {
  profile: ProfileFields;
}

interface ProfileKey {
  workspaceId: string;
  userId: string;
}

/**
 * SQL in this file: profiles are read in batches, and written by upserts and under locks. A row for each pair, in input order. The
 * subquery makes the plan one primary key lookup for each pair.
 */
const RETRIEVE = statement(
  'profiles-retrieve',
  `select (select stored.profile from profiles stored
            where stored.workspace_id = pair.workspace_id and stored.user_id = pair.user_id) as profile
     from unnest($1::uuid[], $2::text[]) with ordinality as pair (workspace_id, user_id, ordinal)
    order by ordinal`,
);

/**
 * The stored profile, its row locked until the transaction ends; inserted as given when there was none. The update changes
 * nothing but locks the row: no other writer comes between reading and writing, nor do two first writers collide.
 */
const INSERT_OR_LOCK = statement(
  'profiles-insert-or-lock',
  `insert into profiles (workspace_id, user_id, profile) values ($1, $2, $3)
   on conflict (workspace_id, user_id) do update set updated_at = profiles.updated_at
   returning profile, xmax = 0 as created`, // an existing row carries this transaction's lock in xmax
);

const LOCK = statement('profiles-lock', 'select profile from profiles where workspace_id = $1 and user_id = $2 for update');

const UPDATE = statement(
  'profiles-update',
  'update profiles set profile = $3, updated_at = now() where workspace_id = $1 and user_id = $2',
);

const REMOVE = statement('profiles-remove', 'delete from profiles where workspace_id = $1 and user_id = $2');

const EMPTY = '{}';
const WRITTEN: ProfileWritten = { status: 'SUCCESS' };

@Handles(profiles)
export class ProfilesHandlers {
  private readonly stored = batchedRead((keys: readonly ProfileKey[]) => this.read(keys));

  constructor(
    private readonly db: Database,
    private readonly outbox: Outbox,
  ) {}

  async retrieve({ workspaceId }: CallContext, { user_id, ...rest }: GetProfile): Promise<Profile> {
    rest satisfies Record<string, never>;
    const profile = await this.stored({ workspaceId, userId: user_id });
    if (!profile) throw noProfile(user_id);
    return { profile };
  }

  /** Objects are merged at every depth; other values, arrays and null too, replace the stored ones (`deepMerge`). */
  async merge({ workspaceId }: CallContext, { user_id, profile, ...rest }: WriteProfile, manager: EntityManager): Promise<ProfileWritten> {
    rest satisfies Record<string, never>;
    const tx = transactionOf(manager);
    const first = storableProfile(user_id, profile);
    const [row] = await tx.query<ProfileRow & { created: boolean }>(INSERT_OR_LOCK, [workspaceId, user_id, first]);
    if (row!.created) await publishProfile(tx, this.outbox, { workspaceId, userId: user_id, profile });
    else await this.write(tx, workspaceId, user_id, row!.profile, deepMerge(row!.profile, profile));
    return WRITTEN;
  }

  async replace({ workspaceId }: CallContext, { user_id, profile, ...rest }: WriteProfile, tx: EntityManager): Promise<ProfileWritten> {
    rest satisfies Record<string, never>;
    const stored = storableProfile(user_id, profile);
    await replaceProfile(transactionOf(tx), this.outbox, { workspaceId, userId: user_id, profile, stored });
    return WRITTEN;
  }

  /** @throws ServiceError `not_found` without a profile: the paths of a patch refer to stored members. */
  async patch({ workspaceId }: CallContext, { user_id, patch, ...rest }: PatchProfile, manager: EntityManager): Promise<ProfileWritten> {
    rest satisfies Record<string, never>;
    const tx = transactionOf(manager);
    const [row] = await tx.query<ProfileRow>(LOCK, [workspaceId, user_id]);
    if (!row) throw noProfile(user_id);
    await this.write(tx, workspaceId, user_id, row.profile, applyPatch(row.profile, patch));
    return WRITTEN;
  }

  async remove({ workspaceId }: CallContext, { user_id, ...rest }: GetProfile, manager: EntityManager): Promise<void> {
    rest satisfies Record<string, never>;
    const tx = transactionOf(manager);
    const removed = await tx.execute(REMOVE, [workspaceId, user_id]);
    if (removed === 0) return;
    const key = profileChanged.keyOf({ workspaceId, userId: user_id, profile: {} });
    await this.outbox.add(tx, profileChanged, { payload: null, key });
  }

  private async read(keys: readonly ProfileKey[]): Promise<(ProfileFields | undefined)[]> {
    const rows = await this.db.query<{ profile: ProfileFields | null }>(RETRIEVE, [
      keys.map(({ workspaceId }) => workspaceId),
      keys.map(({ userId }) => userId),
    ]);
    return rows.map(({ profile }) => profile ?? undefined);
  }

  /** Stores the new value of a locked profile. An unchanged one costs no write, and no event unless it is empty. */
  private async write(tx: Transaction, workspaceId: string, userId: string, before: ProfileFields, after: unknown): Promise<void> {
    const text = storableProfile(userId, after);
    const changed = !deepEqual(before, after);
    if (changed) await tx.query(UPDATE, [workspaceId, userId, text]);
    if (changed || text === EMPTY) await publishProfile(tx, this.outbox, { workspaceId, userId, profile: after as ProfileFields });
  }
}

function noProfile(userId: string): ServiceError {
  return new ServiceError('not_found', `User ${userId} has no profile`);
}
