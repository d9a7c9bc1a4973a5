import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { BulkUserStatus, ListedBulkUser } from '@tidings/contracts/messaging/bulk';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { type Queryable, statement } from '@tidings/persistence/database';
import type { JobKey } from './bulk-job.entity';

/** A user to be added to a job. */
export interface NewUser {
  /** Id or address; a second entry with it is a duplicate. `null` where the entry has none. */
  readonly recipient: string | null;
  /** The user as given, as JSON; the credentials of its profile sealed. */
  readonly entry: string;
  /** Why no message can be sent to it; `null` for a valid user. */
  readonly error: string | null;
}

/** A user that was inserted, or replaced a failed one of the same recipient. */
export interface AddedUser {
  recipient: string | null;
  status: BulkUserStatus;
  inserted: boolean;
}

/** A row of `bulk_users`, without the key of its job. */
export interface UserRow {
  /** A bigint, which pg gives as text. */
  ordinal: string;
  recipient: string | null;
  status: BulkUserStatus;
  entry: ListedBulkUser;
  bytes: number;
  message_id: string | null;
  error: string | null;
}

// SQL because one statement adds thousands of users in the order of their keys, and returns which are new.
/**
 * Ordinals follow the order of the call; rows are written in the order of their key, so that two calls with the same users cannot deadlock.
 * A user that failed before is replaced.
 */
const ADD = statement(
  'messaging.add_bulk_users',
  `with numbered as materialized (
     select nextval('bulk_users_ordinal') as ordinal, given.recipient collate "C" as recipient, given.entry, given.error
     from (
       select * from rows from (json_to_recordset($3::json) as (recipient text, entry json, error text))
         with ordinality as row(recipient, entry, error, input_ordinal) order by input_ordinal
     ) given
   )
   insert into bulk_users as present (workspace_id, job_id, ordinal, recipient, status, entry, bytes, error)
   select $1, $2, ordinal, recipient, case when error is null then 'PENDING' else 'ERROR' end, entry, octet_length(entry::text), error
   from numbered order by recipient, ordinal
   on conflict (workspace_id, job_id, recipient) do update
     set status = excluded.status, entry = excluded.entry, bytes = excluded.bytes, error = excluded.error
     where present.status = 'ERROR'
   returning recipient, status, xmax = 0 as inserted`,
);

/** Rows after an ordinal, as many as fit in a number of bytes; at least one, if there is one. */
const PAGE = statement(
  'messaging.page_of_bulk_users',
  `select ordinal, recipient, status, entry, bytes, message_id, error from (
     select *, sum(bytes) over (order by ordinal) - bytes as before from (
       select ordinal, recipient, status, entry, bytes, message_id, error from bulk_users
       where workspace_id = $1 and job_id = $2 and ordinal > $3 order by ordinal limit $4
     ) page
   ) summed where before < $5 order by ordinal`,
);

/** Resolves with the users that were added; the missing ones existed before. `users` has each recipient once. */
export function addUsers(tx: Queryable, { workspaceId, uuid }: JobKey, users: readonly NewUser[]): Promise<AddedUser[]> {
  // The entries are JSON already; parsing and serializing them again would cost more than the rest of the call.
  const rows = users.map(
    ({ recipient, entry, error }) => `{"recipient":${JSON.stringify(recipient)},"entry":${entry},"error":${JSON.stringify(error)}}`,
  );
  return tx.query<AddedUser>(ADD, [workspaceId, uuid, `[${rows.join(',')}]`]);
}

/** At most `limit` users after ordinal `after`, ending early once they have `bytesMax` bytes. */
export function readUsers(
  database: Queryable,
  { workspaceId, uuid }: JobKey,
  { after, limit, bytesMax }: { after: string; limit: number; bytesMax: number },
): Promise<UserRow[]> {
  return database.query<UserRow>(PAGE, [workspaceId, uuid, after, limit, bytesMax]);
}

/** Whether the rows ended early because of their bytes, so that more may follow. */
export function endsEarly(rows: readonly UserRow[], bytesMax: number): boolean {
  return rows.reduce((sum, { bytes }) => sum + bytes, 0) >= bytesMax;
}

/** The user with `change` applied to both fields with profile data. */
export function changeProfilesOfUser<User extends object>(user: User, change: (profile: object) => object): User {
  const { profile, to } = user as { profile?: unknown; to?: unknown };
  return { ...user, ...(isJsonObject(profile) && { profile: change(profile) }), ...(isJsonObject(to) && { to: change(to) }) };
}

/** A user as listings show it; the credentials of its profile as they are stored. */
export function toListedUser({ recipient, entry, status, message_id, error }: UserRow): ListedBulkUser {
  const { profile, data, preferences, to } = entry;
  return {
    recipient: recipient ?? undefined,
    profile,
    data,
    preferences,
    to,
    status,
    messageId: message_id === null ? undefined : uuidToMessageId(message_id),
    error: error ?? undefined,
  };
}
