import { InjectRepository } from '@nestjs/typeorm';
import { invalid } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { type PreferenceStatus, RECIPIENT_PREFERENCES_BYTES_MAX } from '@tidings/contracts/core/preferences';
import { keyPath, storableObject } from '@tidings/contracts/core/text';
import {
  type CategoryType,
  type NamedRecipient,
  type PatchRecipientPreferences,
  recipientPreferences,
  type StoredRecipientPreferences,
  type WriteRecipientPreferences,
} from '@tidings/contracts/identity/recipient-preferences';
import { Database, statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { applyPatch } from '../json/json-patch';
import { topicsById, topicsOfWorkspaces } from './preferences-of-many';
import { RecipientPreferencesEntity } from './recipient-preferences.entity';
import { checkedPreferenceDetails } from '@tidings/contracts/core/preference-maps';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { mustBe } from '@tidings/contracts/core/violations';

// SQL because one statement inserts the row, or locks and returns the stored one.
/** The update changes nothing but locks the row: two concurrent patches do not overwrite each other. */
const INSERT_OR_LOCK = statement(
  'recipient-preferences-insert-or-lock',
  `insert into recipient_preferences (workspace_id, user_id, preferences) values ($1, $2, $3)
   on conflict (workspace_id, user_id) do update set updated_at = recipient_preferences.updated_at
   returning preferences`,
);
const EMPTY_MAPS: StoredRecipientPreferences = { notifications: {}, categories: {} };

/** Other resources below `/preferences/`: preferences of a recipient with such an id could not be read. */
const RESERVED_IDS: readonly string[] = ['sections', 'publish', 'logs'];

/** The category types name the action that is left to the user: an `OPTED_IN` topic has the type `OPT_OUT`. */
const TYPE_OF: Record<PreferenceStatus, CategoryType> = { OPTED_IN: 'OPT_OUT', OPTED_OUT: 'OPT_IN', REQUIRED: 'REQUIRED' };

@Handles(recipientPreferences)
export class RecipientPreferencesHandlers {
  constructor(
    private readonly database: Database,
    @InjectRepository(RecipientPreferencesEntity) private readonly rows: Repository<RecipientPreferencesEntity>,
  ) {}

  async catalogue({ workspaceId }: CallContext) {
    const topics = await topicsOfWorkspaces(this.database, [workspaceId]);
    return {
      uncategorized: [],
      categories: topics.map(({ topic_id, name, default_status }) => ({
        id: topic_id,
        title: name,
        config: { type: TYPE_OF[default_status] },
        notifications: [],
      })),
    };
  }

  /** Empty maps for a recipient without preferences, or without a profile. */
  async retrieve({ workspaceId }: CallContext, { recipient_id }: NamedRecipient) {
    assertRecipient(recipient_id);
    const row = await this.rows.findOneBy({ workspaceId, userId: recipient_id });
    return row?.preferences ?? EMPTY_MAPS;
  }

  async replace({ workspaceId }: CallContext, { recipient_id, ...preferences }: WriteRecipientPreferences, tx: EntityManager) {
    assertRecipient(recipient_id);
    return store(tx, workspaceId, recipient_id, preferences);
  }

  /** Without stored preferences the patch applies to empty maps. */
  async patch({ workspaceId }: CallContext, { recipient_id, patch, ...rest }: PatchRecipientPreferences, tx: EntityManager) {
    rest satisfies Record<string, never>;
    assertRecipient(recipient_id);
    const values = [workspaceId, recipient_id, JSON.stringify(EMPTY_MAPS)];
    const [row] = await transactionOf(tx).query<Pick<RecipientPreferencesEntity, 'preferences'>>(INSERT_OR_LOCK, values);
    return store(tx, workspaceId, recipient_id, applyPatch(row!.preferences, patch));
  }
}

async function store(tx: EntityManager, workspaceId: string, userId: string, given: unknown) {
  const preferences = storablePreferences(userId, given);
  await assertNoneRequired(transactionOf(tx), workspaceId, preferences);
  const row = { workspaceId, userId, preferences, updatedAt: () => 'now()' };
  await tx.upsert(RecipientPreferencesEntity, row, ['workspaceId', 'userId']);
  return { status: 'SUCCESS' as const };
}

/** @throws ServiceError `invalid_request` where they opt out of a topic that is REQUIRED. */
async function assertNoneRequired(tx: Transaction, workspaceId: string, { categories }: StoredRecipientPreferences) {
  const optedOut = Object.keys(categories).filter((id) => categories[id]!.status === 'OPTED_OUT');
  if (optedOut.length === 0) return;
  const topics = await topicsById(
    tx,
    optedOut.map((topicId) => ({ workspaceId, topicId })),
  );
  const required = topics.find(({ default_status }) => default_status === 'REQUIRED');
  if (!required) return;
  throw invalid(`${keyPath('categories', required.topic_id)}: topic ${required.topic_id} is REQUIRED: users cannot opt out of it`);
}

function assertRecipient(recipientId: string) {
  if (RESERVED_IDS.includes(recipientId)) {
    throw invalid(`recipient_id must not be ${recipientId}: /preferences/${recipientId} is something else`);
  }
}

/**
 * A recipient's preferences in the map form, as they are stored: both maps, each entry checked. Unknown fields
 * are dropped.
 * @throws ServiceError `invalid_request` naming the entry that is wrong, or the size that is too large.
 */
function storablePreferences(recipientId: string, preferences: unknown) {
  const name = `The preferences of ${recipientId}`;
  storableObject(name, preferences, RECIPIENT_PREFERENCES_BYTES_MAX); // before any field is read
  const { notifications, categories } = preferences as Record<string, unknown>;
  const stored = { notifications: checkedMap('notifications', notifications), categories: checkedMap('categories', categories) };
  storableObject(name, stored, RECIPIENT_PREFERENCES_BYTES_MAX);
  return stored;
}

function checkedMap(name: string, given: unknown) {
  const map = given ?? {};
  if (!isJsonObject(map)) throw invalid(mustBe('an object', name, map));
  return Object.fromEntries(Object.entries(map).map(([id, details]) => [id, checkedPreferenceDetails(keyPath(name, id), details)]));
}
