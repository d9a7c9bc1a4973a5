import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { LIVE_MS, ofFirstPage, REFRESH_MS } from '../api/refresh';
import { listQuery, type MessageFilter } from './message-filter';
import { type Candidate, candidatesOf, isAddress } from './search';

/** New messages beyond it are not counted. */
export const FRESH_MAX = 100;
/** Users whose messages a search by address offers. */
const USERS_MAX = 5;

const read = (filter: MessageFilter, cursor?: string, limit?: number) =>
  answerOf(api.GET('/messages', { params: { query: listQuery(filter, cursor, limit) } }));

/** A page of messages. The first one is live while the page is visible. */
export const messagesQuery = (filter: MessageFilter, cursor?: string) =>
  queryOptions({
    queryKey: ['messages', filter, cursor],
    queryFn: () => read(filter, cursor),
    refetchInterval: ofFirstPage(cursor, LIVE_MS),
  });

/** Messages that were accepted after `since`. */
export const freshQuery = (filter: MessageFilter, since: string) =>
  queryOptions({
    queryKey: ['fresh-messages', filter, since],
    queryFn: () => read({ ...filter, enqueued_after: since }, undefined, FRESH_MAX),
    refetchInterval: REFRESH_MS,
  });

/** What a search has found: the first meaning that has messages, and the others of its address. */
export interface Match {
  match: Candidate | null;
  others: Candidate[];
}

/** Tries what a text may mean, together with the other filters. `findsUsers`: whether the session may search users. */
export const matchQuery = (text: string, filter: MessageFilter, findsUsers: boolean) =>
  queryOptions({
    queryKey: ['match', text, filter, findsUsers],
    queryFn: async (): Promise<Match> => {
      const users = findsUsers && isAddress(text) ? await usersWith(text) : [];
      const candidates = candidatesOf(text, users);
      const match = await firstWithMessages(candidates, filter);
      const others = users.length > 0 ? candidates.filter((one) => one !== match && ['user', 'recipient'].includes(one.matched)) : [];
      return { match, others };
    },
    refetchInterval: ({ state }) => (state.data?.match ? false : REFRESH_MS),
  });

async function usersWith(address: string): Promise<string[]> {
  const { items, matched } = await answerOf(api.GET('/console/api/users', { params: { query: { query: address, limit: USERS_MAX } } }));
  return matched === 'address' ? items.map(({ id }) => id) : [];
}

async function firstWithMessages(candidates: Candidate[], filter: MessageFilter): Promise<Candidate | null> {
  for (const candidate of candidates) {
    const { results, paging } = await read({ ...filter, ...candidate.filter }, undefined, 1);
    if (results.length > 0 || paging.more) return candidate;
  }
  return null;
}
