import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import type { List } from '../api/types';

const pathOf = (listId: string) => ({ path: { list_id: listId } });

/** A page of the lists by id; `query`: those that match a pattern. */
export const listsQuery = ({ query, cursor }: { query?: string; cursor?: string }) =>
  queryOptions({
    queryKey: ['lists', query, cursor],
    queryFn: () => answerOf(api.GET('/lists', { params: { query: { pattern: query, cursor } } })),
    placeholderData: (earlier) => earlier,
  });

/** A list, `null` where there is none: an id is a pattern that matches itself. */
export async function findList(listId: string): Promise<List | null> {
  const { items } = await answerOf(api.GET('/lists', { params: { query: { pattern: listId } } }));
  return items.find(({ id }) => id === listId) ?? null;
}

export const listQuery = (listId: string) => queryOptions({ queryKey: ['list', listId], queryFn: () => findList(listId) });

export const subscribersQuery = (listId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['subscribers', listId, cursor],
    queryFn: () => answerOf(api.GET('/lists/{list_id}/subscriptions', { params: { ...pathOf(listId), query: { cursor } } })),
  });

/** Creates a list with its id as name, unless there is one. */
export async function createList(listId: string): Promise<void> {
  if (!(await findList(listId))) await saveList(listId, { name: listId });
}

export function saveList(listId: string, body: Pick<List, 'name' | 'preferences'>) {
  return answerOf(api.PUT('/lists/{list_id}', { params: pathOf(listId), body }));
}

export function removeList(listId: string) {
  return answerOf(api.DELETE('/lists/{list_id}', { params: pathOf(listId) }));
}

export function restoreList(listId: string) {
  return answerOf(api.PUT('/lists/{list_id}/restore', { params: pathOf(listId) }));
}

/** Subscribes a user; one who is subscribed stays so, with their preferences. */
export function subscribe(listId: string, recipientId: string) {
  return answerOf(api.POST('/lists/{list_id}/subscriptions', { params: pathOf(listId), body: { recipients: [{ recipientId }] } }));
}

export function unsubscribe(listId: string, userId: string) {
  const path = { list_id: listId, user_id: userId };
  return answerOf(api.DELETE('/lists/{list_id}/subscriptions/{user_id}', { params: { path } }));
}
