import type { CallContext } from '@tidings/contracts/core/context';
import { PAGE_LIMIT_DEFAULT } from '@tidings/contracts/core/paging';
import { type FoundUser, type SearchUsers, userSearch } from '@tidings/contracts/identity/user-search';
import { Database, statement } from '@tidings/persistence/database';
import { exactInstant } from '@tidings/persistence/keyset-page';
import { decodeCursor, toPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { hashOf } from '../tokens/stored-token';

/** A found row; times in microseconds, for the cursor. */
interface UserRow {
  user_id: string;
  email: string | null;
  phone_number: string | null;
  name: string | null;
  updated_at: string | null;
}

// SQL because each search reads along an index, some of them of expressions, and no more of a profile than it shows.
const COLUMNS = `profiles.user_id, left(profile ->> 'email', 320) as email, left(profile ->> 'phone_number', 64) as phone_number,
  left(coalesce(profile ->> 'name', nullif(concat_ws(' ', profile ->> 'given_name', profile ->> 'family_name'), '')), 256) as name,
  ${exactInstant('profiles.updated_at')} as updated_at`;
const byId = (name: string, condition: string) =>
  statement(
    `users-by-${name}`,
    `select ${COLUMNS} from profiles where workspace_id = $1 and ${condition} and user_id > $3 order by user_id limit $4`,
  );
const NEWEST = statement(
  'users-by-change',
  `select ${COLUMNS} from profiles where workspace_id = $1 and (updated_at, user_id) < ($2::timestamptz, $3)
    order by updated_at desc, user_id desc limit $4`,
);
/** No id begins with the prefix above it and its last character. */
const BY_ID = byId('id', `user_id >= $2 and user_id < $2 || chr(1114111)`);
const BY_EMAIL = byId(
  'email',
  `profile ->> 'email' is not null and lower(left(profile ->> 'email', 320) collate "C") = lower(left($2, 320) collate "C")`,
);
const BY_PHONE = byId('phone', `profile ->> 'phone_number' is not null and left(profile ->> 'phone_number', 64) = $2`);
const BY_TOKEN = statement(
  'users-by-token',
  `select push_tokens.user_id, ${COLUMNS.replace('profiles.user_id, ', '')}
     from push_tokens left join profiles using (workspace_id, user_id)
    where push_tokens.workspace_id = $1 and token_hash = $2`,
);

/** After every profile. */
const NEVER = '9999-12-31T00:00:00Z';
const PHONE_NUMBER = /^\+?[\d\s()./-]{5,64}$/;

@Handles(userSearch)
export class UserSearchHandlers {
  constructor(private readonly database: Database) {}

  async search({ workspaceId }: CallContext, { query = '', cursor, limit }: SearchUsers) {
    const size = limit ?? PAGE_LIMIT_DEFAULT;
    const tag = `users ${workspaceId} ${query}`;
    const pageOf = (rows: readonly UserRow[], cursorOf: (row: UserRow) => string[]) =>
      toPage(rows, { tag, limit: size, cursorOf, toItem: toFoundUser });
    if (query === '') {
      const after = cursor === undefined ? [NEVER, ''] : decodeCursor(tag, cursor, ['instant', 'text']);
      const rows = await this.database.query<UserRow>(NEWEST, [workspaceId, ...after, size + 1]);
      return { matched: null, ...pageOf(rows, ({ updated_at, user_id }) => [updated_at!, user_id]) };
    }
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const ofUser = ({ user_id }: UserRow) => [user_id];
    const address = query.includes('@') ? BY_EMAIL : PHONE_NUMBER.test(query) ? BY_PHONE : undefined;
    const byAddress = address ? await this.database.query<UserRow>(address, [workspaceId, query, after, size + 1]) : [];
    if (byAddress.length > 0) return { matched: 'address' as const, ...pageOf(byAddress, ofUser) };
    const byToken = cursor === undefined ? await this.database.query<UserRow>(BY_TOKEN, [workspaceId, hashOf(query)]) : [];
    if (byToken.length > 0) return { matched: 'token' as const, ...pageOf(byToken, ofUser) };
    const byPrefix = await this.database.query<UserRow>(BY_ID, [workspaceId, query, after, size + 1]);
    return { matched: byPrefix.length > 0 ? ('id' as const) : null, ...pageOf(byPrefix, ofUser) };
  }
}

function toFoundUser({ user_id: id, email, phone_number, name, updated_at }: UserRow): FoundUser {
  return {
    id,
    email: email ?? undefined,
    phone_number: phone_number ?? undefined,
    name: name ?? undefined,
    updated: updated_at === null ? undefined : new Date(updated_at).toISOString(),
  };
}
