import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { assertListId } from '@tidings/contracts/audience/list-ids';
import {
  type ListSubscriptions,
  type NamedSubscription,
  type PutSubscription,
  subscriptions,
  SUBSCRIPTIONS_PAGE_SIZE,
  type SubscriptionsPage,
  type WriteSubscriptions,
} from '@tidings/contracts/audience/subscriptions';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { storablePreferenceMaps } from '@tidings/contracts/core/preference-maps';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database } from '@tidings/persistence/database';
import { decodeCursor, toItemsPage, toPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { ListEntity } from '../lists/list.entity';
import { noList } from '../lists/lists.handlers';
import { openSets, pointToSet } from '../lists/open-sets';
import { makeSets } from '../lists/subscriber-sets';
import { storableSubscribers } from './storable-subscribers';
import {
  addSubscribers,
  fillSet,
  putSubscriber,
  removeSubscriber,
  SUBSCRIBERS_PAGE,
  type SubscriptionRow,
  toSubscription,
} from './subscription.rows';

@Handles(subscriptions)
export class SubscriptionsHandlers {
  constructor(
    @InjectRepository(ListEntity) private readonly lists: Repository<ListEntity>,
    private readonly db: Database,
    private readonly calls: CallJournal,
  ) {}

  async list({ workspaceId }: CallContext, { list_id, cursor, ...rest }: ListSubscriptions): Promise<SubscriptionsPage> {
    rest satisfies Record<string, never>;
    const tag = `subscriptions ${workspaceId} ${list_id}`;
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const rows = await this.db.query<SubscriptionRow>(SUBSCRIBERS_PAGE, [workspaceId, list_id, after, SUBSCRIPTIONS_PAGE_SIZE + 1]);
    if (rows.length === 0 && !(await this.lists.existsBy({ workspaceId, id: list_id }))) throw noList(list_id);
    return toItemsPage(toPage(rows, { tag, limit: SUBSCRIPTIONS_PAGE_SIZE, cursorOf: ({ user_id }) => [user_id], toItem: toSubscription }));
  }

  /** Atomic for readers: the list points to the new set once it is complete. */
  async replace(context: CallContext, { list_id, recipients, ...rest }: WriteSubscriptions): Promise<void> {
    rest satisfies Record<string, never>;
    assertListId(list_id, 'list_id');
    const subscribers = storableSubscribers(recipients);
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      const setId = (await makeSets(tx, workspaceId, [list_id])).get(list_id)!;
      await fillSet(tx, { workspaceId, listId: list_id, setId }, subscribers);
      await pointToSet(tx, workspaceId, list_id, setId);
    });
  }

  async add(context: CallContext, { list_id, recipients, ...rest }: WriteSubscriptions): Promise<void> {
    rest satisfies Record<string, never>;
    assertListId(list_id, 'list_id');
    const subscribers = storableSubscribers(recipients);
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      const setId = (await openSets(tx, workspaceId, [list_id])).get(list_id)!;
      await addSubscribers(tx, { workspaceId, listId: list_id, setId }, subscribers);
    });
  }

  /** Replaces the preferences; without any, the subscription has none afterwards. */
  async put(context: CallContext, request: PutSubscription): Promise<void> {
    const { list_id, user_id, ...given } = request;
    assertListId(list_id, 'list_id');
    const preferences = preferencesOf(given);
    const stored = preferences ? storablePreferenceMaps('preferences', preferences) : null;
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      const setId = (await openSets(tx, workspaceId, [list_id])).get(list_id)!;
      await putSubscriber(tx, { workspaceId, listId: list_id, setId }, user_id, stored);
    });
  }

  async remove(context: CallContext, { list_id, user_id, ...rest }: NamedSubscription): Promise<void> {
    rest satisfies Record<string, never>;
    await this.calls.once(context, async (tx) => {
      if (!(await removeSubscriber(tx, context.workspaceId, list_id, user_id))) {
        throw new ServiceError('not_found', `User ${user_id} is not subscribed to list ${list_id}`);
      }
    });
  }
}

/** The preferences in either form; `undefined` where the request has none. */
function preferencesOf(given: Omit<PutSubscription, 'list_id' | 'user_id'>): RecipientPreferences | null | undefined {
  const { preferences, notifications, categories, ...rest } = given;
  rest satisfies Record<string, never>;
  if (preferences !== undefined || (notifications === undefined && categories === undefined)) return preferences;
  return { ...(notifications !== undefined && { notifications }), ...(categories !== undefined && { categories }) };
}
