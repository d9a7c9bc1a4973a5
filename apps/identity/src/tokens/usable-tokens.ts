import type { UsableToken } from '@tidings/contracts/identity/recipients';
import { columnsOf } from '@tidings/persistence/columns-of';
import { type Queryable, statement } from '@tidings/persistence/database';

/** Devices of one user that a send reaches: the latest registered. */
export const USABLE_TOKENS_PER_USER_MAX = 100;
/** Tokens of one answer, in bytes of their JSON; those of the first user are returned whatever their size. */
export const USABLE_TOKENS_BYTES_MAX = 4 * 1024 * 1024;
/** How long a failed token is not used, in ms. */
export const FAILED_REST_MS = 60 * 60 * 1_000;

interface UserKey {
  workspaceId: string;
  userId: string;
}

// SQL because every send waits for it: one lookup in the index of users for each pair.
/** Without expired and revoked tokens, and without failed ones for `FAILED_REST_MS`. */
const USABLE = statement(
  'push-tokens-usable',
  `select ordinal, token, provider_key, status, device, properties from (
     select pair.ordinal, usable.*, sum(coalesce(usable.bytes, 0)) over (order by pair.ordinal) as bytes_so_far
       from unnest($1::uuid[], $2::text[]) with ordinality as pair (workspace_id, user_id, ordinal)
       left join lateral (
         select token, provider_key, status, device, properties, bytes, registered_at, token_hash
           from push_tokens stored
          where stored.workspace_id = pair.workspace_id and stored.user_id = pair.user_id
            and (stored.expires_at is null or stored.expires_at > now())
            and (stored.status in ('active', 'unknown')
                 or (stored.status = 'failed' and stored.failed_at <= now() - $3 * interval '1 millisecond'))
          order by stored.registered_at desc, stored.token_hash
          limit $4
       ) as usable on true
   ) as found
   where bytes_so_far <= $5 or ordinal = 1
   order by ordinal, registered_at desc, token_hash`,
);

/**
 * The usable tokens of many users, in one statement: a list for each of `users`, in that order, the latest registered token first.
 * Large tokens end the answer early: it then has the lists of the first users, of one at least, and the caller requests the rest
 * in another call.
 */
export async function usableTokens(database: Queryable, users: readonly UserKey[]) {
  const rows = await database.query<{ ordinal: string } & (UsableToken | { token: null })>(USABLE, [
    ...columnsOf(users, 'workspaceId', 'userId'),
    FAILED_REST_MS,
    USABLE_TOKENS_PER_USER_MAX,
    USABLE_TOKENS_BYTES_MAX,
  ]);
  const found: UsableToken[][] = [];
  for (const { ordinal, ...row } of rows) {
    const tokens = (found[Number(ordinal) - 1] ??= []);
    if (row.token !== null) tokens.push(row);
  }
  return found;
}
