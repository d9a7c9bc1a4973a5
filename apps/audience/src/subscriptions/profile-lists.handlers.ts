import type { EntityManager } from 'typeorm';
import { assertListId } from '@tidings/contracts/audience/list-ids';
import {
  type ListProfileLists,
  PROFILE_LISTS_PAGE_SIZE,
  profileLists,
  type SubscribeToLists,
} from '@tidings/contracts/audience/profile-lists';
import type { CallContext } from '@tidings/contracts/core/context';
import { invalid } from '@tidings/contracts/core/refusals';
import { storablePreferenceMaps } from '@tidings/contracts/core/preference-maps';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import { Database, statement, transactionOf } from '@tidings/persistence/database';
import { decodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { type ListRow, toList } from '../lists/list.entity';
import { openSets } from '../lists/list-store';
import { removeAllSubscriptions } from './subscription.rows';
import type { NamedUser, ProfileWritten } from '@tidings/contracts/identity/profiles';

interface SubscribedListRow extends ListRow {
  subscribedPreferences: RecipientPreferences | null;
}

// SQL because TypeORM has no lateral join, and another join would read all lists of the user for one page.
/** Skips subscriptions of deleted lists and of sets that are due for removal. */
const PAGE = statement(
  'profile-lists-page',
  `select list.list_id as id, list.name, list.preferences, list.created_at as "createdAt", list.updated_at as "updatedAt",
          mine.preferences as "subscribedPreferences"
     from subscriptions mine
     cross join lateral (select * from lists
                          where workspace_id = $1 and list_id = mine.list_id and set_id = mine.set_id and deleted_at is null
                          limit 1) list
    where mine.workspace_id = $1 and mine.user_id = $2 and mine.list_id > $3
    order by mine.list_id limit $4`,
);
// SQL because one statement inserts the subscriptions of many lists in the order in which all writers lock.
/** Inserts in key order, as all writers lock. Null preferences leave those of an existing one. */
const SUBSCRIBE = statement(
  'profile-lists-subscribe',
  `insert into subscriptions (workspace_id, user_id, list_id, set_id, preferences)
   select $1, $2, entry.list_id collate "C", entry.set_id, entry.preferences::jsonb
     from unnest($3::text[], $4::bigint[], $5::text[]) as entry (list_id, set_id, preferences)
    order by 3
   on conflict (workspace_id, set_id, user_id) do update set preferences = excluded.preferences
    where excluded.preferences is not null`,
);

const WRITTEN: ProfileWritten = { status: 'SUCCESS' };

@Handles(profileLists)
export class ProfileListsHandlers {
  constructor(private readonly database: Database) {}

  async list({ workspaceId }: CallContext, { user_id, cursor }: ListProfileLists) {
    const tag = `profile-lists ${workspaceId} ${user_id}`;
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const rows = await this.database.query<SubscribedListRow>(PAGE, [workspaceId, user_id, after, PROFILE_LISTS_PAGE_SIZE + 1]);
    const page = toPage(rows, {
      tag,
      limit: PROFILE_LISTS_PAGE_SIZE,
      cursorOf: ({ id }) => [id],
      toItem: ({ subscribedPreferences, ...row }) => ({
        ...toList(row),
        ...(subscribedPreferences !== null && { preferences: subscribedPreferences }),
      }),
    });
    return toResultsPage(page);
  }

  async subscribe(context: CallContext, { user_id, lists, ...rest }: SubscribeToLists, manager: EntityManager) {
    rest satisfies Record<string, never>;
    const wanted = new Map<string, string | null>();
    lists.forEach(({ id, preferences, ...list }, index) => {
      const listId = list.listId ?? id;
      if (!listId) throw invalid(`lists[${index}].listId is required`);
      assertListId(listId, `lists[${index}].listId`);
      wanted.set(listId, preferences ? storablePreferenceMaps(`lists[${index}].preferences`, preferences) : null);
    });
    const listIds = [...wanted.keys()];
    const tx = transactionOf(manager);
    const sets = await openSets(tx, context, listIds);
    await tx.execute(SUBSCRIBE, [context.workspaceId, user_id, listIds, listIds.map((listId) => sets.get(listId)), [...wanted.values()]]);
    return WRITTEN;
  }

  async removeAll({ workspaceId }: CallContext, { user_id }: NamedUser, tx: EntityManager) {
    await removeAllSubscriptions(transactionOf(tx), workspaceId, user_id);
    return WRITTEN;
  }
}
