import { randomUUID } from 'node:crypto';
import { type ListMembersPage, listMembers } from '@tidings/contracts/audience/list-members';
import { lists, type PutList } from '@tidings/contracts/audience/lists';
import { profileLists } from '@tidings/contracts/audience/profile-lists';
import { type Subscriber, subscriptions } from '@tidings/contracts/audience/subscriptions';
import type { CallContext } from '@tidings/contracts/core/context';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';

/** Preferences that opt out of a topic. */
export const optedOutOf = (topic: string): RecipientPreferences => ({ categories: { [topic]: { status: 'OPTED_OUT' } } });

/** User ids `u000`, `u001` …, in their order. */
export const users = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => `u${String(from + n).padStart(3, '0')}`);

const toSubscriber = (user: string | Subscriber): Subscriber => (typeof user === 'string' ? { recipientId: user } : user);

/** Calls on the lists of one workspace. */
export function listsOf({ call }: TestService, context: CallContext = contextOf(randomUUID())) {
  return {
    context,
    put: (list_id: string, overrides: Partial<PutList> = {}) =>
      call(lists.replace, context, { list_id, name: `The ${list_id}`, ...overrides }),
    get: (list_id: string) => call(lists.retrieve, context, { list_id }),
    page: (pattern?: string, cursor?: string) => call(lists.list, context, { pattern, cursor }),
    ids: async (pattern?: string) => (await call(lists.list, context, { pattern })).items.map(({ id }) => id),
    remove: (list_id: string) => call(lists.remove, context, { list_id }),
    restore: (list_id: string) => call(lists.restore, context, { list_id }),
    add: (list_id: string, ...recipients: (string | Subscriber)[]) =>
      call(subscriptions.add, context, { list_id, recipients: recipients.map(toSubscriber) }),
    replace: (list_id: string, ...recipients: (string | Subscriber)[]) =>
      call(subscriptions.replace, context, { list_id, recipients: recipients.map(toSubscriber) }),
    subscribe: (list_id: string, user_id: string, preferences?: RecipientPreferences | null) =>
      call(subscriptions.put, context, { list_id, user_id, preferences }),
    unsubscribe: (list_id: string, user_id: string) => call(subscriptions.remove, context, { list_id, user_id }),
    subscriptions: (list_id: string, cursor?: string) => call(subscriptions.list, context, { list_id, cursor }),
    subscribers: async (list_id: string) =>
      (await call(subscriptions.list, context, { list_id })).items.map(({ recipientId }) => recipientId),
    listsOfUser: async (user_id: string) => (await call(profileLists.list, context, { user_id })).results,
    members: (list_id: string, limit?: number, cursor?: string): Promise<ListMembersPage> =>
      call(listMembers.ofList, context, { list_id, limit, cursor }),
    membersOfPattern: (pattern: string, limit?: number, cursor?: string): Promise<ListMembersPage> =>
      call(listMembers.ofPattern, context, { pattern, limit, cursor }),
  };
}
