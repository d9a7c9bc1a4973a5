import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { PreferenceStatus } from '@tidings/contracts/core/preferences';
import { keyPath } from '@tidings/contracts/core/text';
import type { NoFields } from '@tidings/contracts/identity/preference-sections';
import {
  type CategoryType,
  type NamedRecipient,
  type PatchRecipientPreferences,
  type PreferenceCatalogue,
  recipientPreferences,
  type RecipientPreferencesWritten,
  type StoredRecipientPreferences,
  type WriteRecipientPreferences,
} from '@tidings/contracts/identity/recipient-preferences';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, statement, type Transaction } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { applyPatch } from '../json/json-patch';
import { topicsById, topicsOfWorkspaces } from './preferences-of-many';
import { storablePreferences } from './recipient-preferences.rules';

interface Row {
  preferences: StoredRecipientPreferences;
}

const RETRIEVE = statement(
  'recipient-preferences-retrieve',
  'select preferences from recipient_preferences where workspace_id = $1 and user_id = $2',
);
/** The update changes nothing but locks the row: two concurrent patches do not overwrite each other. */
const INSERT_OR_LOCK = statement(
  'recipient-preferences-insert-or-lock',
  `insert into recipient_preferences (workspace_id, user_id, preferences) values ($1, $2, $3)
   on conflict (workspace_id, user_id) do update set updated_at = recipient_preferences.updated_at
   returning preferences`,
);
const REPLACE = statement(
  'recipient-preferences-replace',
  `insert into recipient_preferences (workspace_id, user_id, preferences) values ($1, $2, $3)
   on conflict (workspace_id, user_id) do update set preferences = excluded.preferences, updated_at = now()`,
);

const EMPTY_MAPS: StoredRecipientPreferences = { notifications: {}, categories: {} };
const WRITTEN: RecipientPreferencesWritten = { status: 'SUCCESS' };

/** Other resources below `/preferences/`: preferences of a recipient with such an id could not be read. */
const RESERVED_IDS: readonly string[] = ['sections', 'publish', 'logs'];

/** The category types name the action that is left to the user: an `OPTED_IN` topic has the type `OPT_OUT`. */
const TYPE_OF: Record<PreferenceStatus, CategoryType> = { OPTED_IN: 'OPT_OUT', OPTED_OUT: 'OPT_IN', REQUIRED: 'REQUIRED' };

@Handles(recipientPreferences)
export class RecipientPreferencesHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
  ) {}

  async catalogue({ workspaceId }: CallContext, _request: NoFields): Promise<PreferenceCatalogue> {
    const topics = await topicsOfWorkspaces(this.db, [workspaceId]);
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
  async retrieve({ workspaceId }: CallContext, { recipient_id, ...rest }: NamedRecipient): Promise<StoredRecipientPreferences> {
    rest satisfies Record<string, never>;
    assertRecipient(recipient_id);
    const [row] = await this.db.query<Row>(RETRIEVE, [workspaceId, recipient_id]);
    return row?.preferences ?? EMPTY_MAPS;
  }

  async replace(context: CallContext, request: WriteRecipientPreferences): Promise<RecipientPreferencesWritten> {
    const { recipient_id, ...preferences } = request;
    assertRecipient(recipient_id);
    const stored = storablePreferences(recipient_id, preferences);
    return this.calls.once(context, async (tx) => {
      await assertNoneRequired(tx, context.workspaceId, stored);
      await tx.execute(REPLACE, [context.workspaceId, recipient_id, stored]);
      return WRITTEN;
    });
  }

  /** Without stored preferences the patch applies to empty maps. */
  async patch(context: CallContext, { recipient_id, patch, ...rest }: PatchRecipientPreferences): Promise<RecipientPreferencesWritten> {
    rest satisfies Record<string, never>;
    assertRecipient(recipient_id);
    const { workspaceId } = context;
    return this.calls.once(context, async (tx) => {
      const [row] = await tx.query<Row>(INSERT_OR_LOCK, [workspaceId, recipient_id, JSON.stringify(EMPTY_MAPS)]);
      const stored = storablePreferences(recipient_id, applyPatch(row!.preferences, patch));
      await assertNoneRequired(tx, workspaceId, stored);
      await tx.execute(REPLACE, [workspaceId, recipient_id, stored]);
      return WRITTEN;
    });
  }
}

/** @throws ServiceError `invalid_request` where `stored` opts out of a topic that is REQUIRED. */
async function assertNoneRequired(tx: Transaction, workspaceId: string, stored: string): Promise<void> {
  const { categories } = JSON.parse(stored) as StoredRecipientPreferences;
  const optedOut = Object.keys(categories).filter((id) => categories[id]!.status === 'OPTED_OUT');
  if (optedOut.length === 0) return;
  const topics = await topicsById(
    tx,
    optedOut.map((topicId) => ({ workspaceId, topicId })),
  );
  const required = topics.find(({ default_status }) => default_status === 'REQUIRED');
  if (!required) return;
  throw new ServiceError(
    'invalid_request',
    `${keyPath('categories', required.topic_id)}: topic ${required.topic_id} is REQUIRED: users cannot opt out of it`,
  );
}

function assertRecipient(recipientId: string): void {
  if (RESERVED_IDS.includes(recipientId)) {
    throw new ServiceError('invalid_request', `recipient_id must not be ${recipientId}: /preferences/${recipientId} is something else`);
  }
}
