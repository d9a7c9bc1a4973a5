import { InjectRepository } from '@nestjs/typeorm';
import { notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import { assertListId } from '@tidings/contracts/audience/list-ids';
import {
  type ListSubscriptions,
  type NamedSubscription,
  type PutSubscription,
  subscriptions,
  SUBSCRIPTIONS_PAGE_SIZE,
  type WriteSubscriptions,
} from '@tidings/contracts/audience/subscriptions';
import type { CallContext } from '@tidings/contracts/core/context';
import { storablePreferenceMaps } from '@tidings/contracts/core/preference-maps';
import { transactionOf } from '@tidings/persistence/database';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { Handles } from '@tidings/rpc/handles';
import { openSets, pointToSet } from '../lists/list-store';
import { ListEntity } from '../lists/list.entity';
import { noList } from '../lists/lists.handlers';
import { makeSets } from '../lists/subscriber-sets';
import { SubscriptionEntity, toSubscription } from './subscription.entity';
import { addSubscribers, fillSet, setOfList, type StorableSubscribers } from './subscription.rows';

@Handles(subscriptions)
export class SubscriptionsHandlers {
  constructor(
    @InjectRepository(ListEntity) private readonly lists: Repository<ListEntity>,
    @InjectRepository(SubscriptionEntity) private readonly rows: Repository<SubscriptionEntity>,
  ) {}

  async list({ workspaceId }: CallContext, { list_id, cursor }: ListSubscriptions) {
    const query = this.rows.createQueryBuilder('subscription').where({ workspaceId, setId: setOfList(workspaceId, list_id) });
    const page = await keysetPage(query, {
      tag: `subscriptions ${workspaceId} ${list_id}`,
      limit: SUBSCRIPTIONS_PAGE_SIZE,
      cursor,
      orderedBy: ['userId'],
      toItem: toSubscription,
    });
    if (page.items.length === 0 && !(await this.lists.existsBy({ workspaceId, id: list_id }))) throw noList(list_id);
    return page;
  }

  prepareReplace = subscribersOf;

  /** Atomic for readers: the list points to the new set once it is complete. */
  async replace(context: CallContext, { list_id }: WriteSubscriptions, manager: EntityManager, subscribers: StorableSubscribers) {
    const { workspaceId } = context;
    const tx = transactionOf(manager);
    const setId = (await makeSets(tx, workspaceId, [list_id])).get(list_id)!;
    await fillSet(tx, { workspaceId, listId: list_id, setId }, subscribers);
    await pointToSet(tx, context, list_id, setId);
  }

  prepareAdd = subscribersOf;

  async add(context: CallContext, { list_id }: WriteSubscriptions, manager: EntityManager, subscribers: StorableSubscribers) {
    const { workspaceId } = context;
    const tx = transactionOf(manager);
    const setId = (await openSets(tx, context, [list_id])).get(list_id)!;
    await addSubscribers(tx, { workspaceId, listId: list_id, setId }, subscribers);
  }

  /** Replaces the preferences; without any, the subscription has none afterwards. */
  async put(context: CallContext, request: PutSubscription, tx: EntityManager) {
    const { workspaceId } = context;
    const { list_id: listId, user_id: userId } = request;
    assertListId(listId, 'list_id');
    const preferences = preferencesOf(request) ?? null;
    if (preferences) storablePreferenceMaps('preferences', preferences);
    const setId = (await openSets(transactionOf(tx), context, [listId])).get(listId)!;
    await tx.upsert(SubscriptionEntity, { workspaceId, setId, userId, listId, preferences }, ['workspaceId', 'setId', 'userId']);
  }

  async remove({ workspaceId }: CallContext, { list_id, user_id: userId }: NamedSubscription, tx: EntityManager) {
    const { affected } = await tx.delete(SubscriptionEntity, { workspaceId, userId, setId: setOfList(workspaceId, list_id) });
    if (!affected) throw notFound(`User ${userId} is not subscribed to list ${list_id}`);
  }
}

/**
 * Subscribers as they are stored, sorted by id; of duplicates the last one counts. Before the transaction: a call may have 400,000
 * subscribers to check and sort.
 * @throws ServiceError `invalid_request` naming the value that cannot be stored or is too large.
 */
async function subscribersOf(_: CallContext, { list_id, recipients }: WriteSubscriptions) {
  assertListId(list_id, 'list_id');
  const stored = new Map<string, string | null>();
  recipients.forEach(({ recipientId, preferences, ...rest }, index) => {
    rest satisfies Record<string, never>;
    stored.set(recipientId, preferences ? storablePreferenceMaps(`recipients[${index}].preferences`, preferences) : null);
  });
  return [...stored].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The preferences in either form; `undefined` where the request has none. */
function preferencesOf({ preferences, notifications, categories }: PutSubscription) {
  if (preferences !== undefined || (notifications === undefined && categories === undefined)) return preferences;
  return { notifications, categories };
}
