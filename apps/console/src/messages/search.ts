import type { MessageFilter } from './message-filter';

const MESSAGE_ID = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/;

/** What a search may mean: the filter, and the words for it in `matched` of `screen-texts/messages`. */
export interface Candidate {
  matched: 'messageId' | 'traceId' | 'recipient' | 'user' | 'notification' | 'event';
  filter: MessageFilter;
  /** Id of the user who has the searched address. */
  user?: string;
}

/** Whether a text may be an e-mail address or a phone number, which users have. */
export function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$|^\+?[\d ()-]{6,}$/.test(text);
}

/** What a text may mean, the likeliest first; `users` have it as their address. */
export function candidatesOf(text: string, users: readonly string[] = []): Candidate[] {
  const byId: Candidate[] = MESSAGE_ID.test(text) ? [{ matched: 'messageId', filter: { messageId: text, archived: 'true' } }] : [];
  const ofUsers = users.map((user): Candidate => ({ matched: 'user', filter: { recipient: user }, user }));
  return [
    ...byId,
    ...ofUsers,
    { matched: 'recipient', filter: { recipient: text } },
    { matched: 'traceId', filter: { traceId: text } },
    { matched: 'notification', filter: { notification: text } },
    { matched: 'event', filter: { event: text } },
  ];
}
