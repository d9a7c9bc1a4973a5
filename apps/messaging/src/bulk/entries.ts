import { ServiceError } from '@tidings/contracts/core/errors';
import { acceptBulkUser, bulkUserId } from '@tidings/contracts/messaging/accept-bulk';
import { BULK_USER_BYTES_MAX, type BulkUserError, type BulkUsersAdded } from '@tidings/contracts/messaging/bulk';
import { PAGE_BYTES_MAX } from '@tidings/persistence/page';
import { EventLoopYielder } from '@tidings/runtime/event-loop-yielder';
import type { AddedUser, NewUser } from './user-store';

const DUPLICATE = 'Duplicate user';

/** One user of a call. */
export interface Entry extends NewUser {
  readonly user: object;
  /** Another entry of the call has the same recipient and counts instead. */
  isDuplicate: boolean;
}

/** The answer of a call, and the counts that it adds to the job. */
interface Added extends BulkUsersAdded {
  received: number;
  failures: number;
}

/** Checks the users of a call. Of several for one recipient the first valid one counts; where none is valid, the first. */
export async function entriesOf(users: readonly object[]): Promise<Entry[]> {
  const yielder = new EventLoopYielder();
  const counting = new Map<string, Entry>();
  const entries: Entry[] = [];
  for (const user of users) {
    const entry = entryOf(user);
    const { recipient, error } = entry;
    entries.push(entry);
    const before = recipient === null ? undefined : counting.get(recipient);
    if (before) (before.error === null || error !== null ? entry : before).isDuplicate = true;
    if (recipient !== null && !entry.isDuplicate) counting.set(recipient, entry);
    await yielder.yieldIfDue();
  }
  return entries;
}

/** The entries to store: each recipient once. */
export function toBeStored(entries: readonly Entry[]): Entry[] {
  return entries.filter(({ isDuplicate }) => !isDuplicate);
}

/** The answer for the entries, given the stored ones. Users added by earlier calls are duplicates and not counted. */
export function addedOf(entries: readonly Entry[], stored: readonly AddedUser[]): Added {
  const present = new Set(stored.map(({ recipient }) => recipient));
  const refused = entries.flatMap(({ user, recipient, error, isDuplicate }): BulkUserError[] =>
    error === null && !isDuplicate && present.has(recipient) ? [] : [{ user, error: error ?? DUPLICATE }],
  );
  let bytes = 0;
  const fits = (one: BulkUserError) => (bytes += Buffer.byteLength(JSON.stringify(one)) + 1) <= PAGE_BYTES_MAX;
  const errors = refused.filter((one) => bytes <= PAGE_BYTES_MAX && fits(one));
  const failed = stored.filter(({ status, inserted }) => inserted && status === 'ERROR').length;
  const corrected = stored.filter(({ status, inserted }) => !inserted && status === 'PENDING').length;
  return {
    total: entries.length - refused.length,
    errors,
    received: stored.filter(({ inserted }) => inserted).length,
    failures: failed - corrected,
  };
}

function entryOf(user: object): Entry {
  const entry = JSON.stringify(user);
  try {
    const { recipient } = acceptBulkUser(user);
    return { user, recipient, entry, error: null, isDuplicate: false };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
    const recipient = bulkUserId(user) ?? null;
    const listable = Buffer.byteLength(entry) <= BULK_USER_BYTES_MAX ? entry : JSON.stringify({ recipient });
    return { user, recipient, entry: listable, error: error.message, isDuplicate: false };
  }
}
