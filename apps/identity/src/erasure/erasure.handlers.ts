import type { EntityManager } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { type EraseIdentity, type EraseUser, identityErasure } from '@tidings/contracts/identity/erasure';
import { suppressionAddress } from '@tidings/contracts/messaging/suppression-address';
import { Database, statement } from '@tidings/persistence/database';
import { remainingAnswers } from '@tidings/persistence/remaining-answers';
import { Handles } from '@tidings/rpc/handles';
import { forgetUserInAuditEvents } from '../audit/audit-log';
import { PreferenceChangeEntity } from '../preferences/preference-change.entity';
import { RecipientPreferencesEntity } from '../preferences/recipient-preferences.entity';
import { UserPreferenceEntity } from '../preferences/user-preference.entity';
import { ProfileStore } from '../profiles/profile-store';
import { ProfileEntity } from '../profiles/profile.entity';
import { Memberships } from '../tenants/memberships';
import { PushTokenEntity } from '../tokens/push-token.entity';

/** In the lock order of other calls; each deletion uses a key or an index of the user. */
const ENTITIES = {
  profiles: ProfileEntity,
  tokens: PushTokenEntity,
  preferences: UserPreferenceEntity,
  recipient_preferences: RecipientPreferencesEntity,
  preference_changes: PreferenceChangeEntity,
};

// SQL because it reads fields of the rows of three tables.
const ofProfiles = (field: string) =>
  ['profiles', 'user_tenants']
    .map((table) => {
      const isText = `jsonb_typeof(profile -> '${field}') = 'string'`;
      return `select '${field}' as kind, profile ->> '${field}' as address from ${table} where workspace_id = $1 and user_id = $2 and ${isText}`;
    })
    .join(' union ');
const ADDRESSES = statement(
  'erasure-addresses',
  `${ofProfiles('email')} union ${ofProfiles('phone_number')}
   union select 'token', token from push_tokens where workspace_id = $1 and user_id = $2`,
);

/** Removes everything identity stores of a user, in one step: the data of one user is bounded. */
@Handles(identityErasure)
export class ErasureHandlers {
  constructor(
    private readonly database: Database,
    private readonly profiles: ProfileStore,
    private readonly memberships: Memberships,
  ) {}

  async erase({ workspaceId }: CallContext, { user_id: userId }: EraseIdentity, tx: EntityManager) {
    const user = { workspaceId, userId };
    const removed: Record<string, number> = {};
    for (const [name, entity] of Object.entries(ENTITIES)) removed[name] = (await tx.delete(entity, user)).affected ?? 0;
    removed.tenants = await this.memberships.removeAll(tx, user);
    const wasNamed = await forgetUserInAuditEvents(tx, workspaceId, userId);
    // Also without a profile, for older records; not for an id that never existed, which a tombstone would be the first to name.
    if (wasNamed || Object.values(removed).some((count) => count > 0)) await this.profiles.publishRemoval(tx, user);
    return { done: true, removed };
  }

  /** Of the profile, of those in tenants, and of the devices. */
  async addresses({ workspaceId }: CallContext, { user_id: userId }: EraseUser) {
    const rows = await this.database.query<{ kind: string; address: string }>(ADDRESSES, [workspaceId, userId]);
    const of = (kind: string) => rows.flatMap((row) => (row.kind === kind ? row.address : []));
    const suppressible = (channel: 'sms' | 'push', kind: string) =>
      of(kind).filter((one) => suppressionAddress(channel, one) !== undefined);
    return { addresses: of('email'), phone_numbers: suppressible('sms', 'phone_number'), tokens: suppressible('push', 'token') };
  }

  async remaining({ workspaceId }: CallContext, { user_id: userId }: EraseUser) {
    return { remaining: await remainingAnswers(this.database, workspaceId, userId) };
  }
}
