import type { UsableToken } from '@tidings/contracts/identity/recipients';
import { type Queryable, statement } from '@tidings/persistence/database';

/** Devices of one user that a send reaches: the latest registered. */
export const USABLE_TOKENS_PER_USER_MAX = 100;
/** Tokens of one reading, in bytes of their JSON; those of the first user are read however many they are. */
export const USABLE_TOKENS_BYTES_MAX = 4 * 1024 * 1024;
/** How long a token that failed is left alone. */
export const FAILED_REST_MS = 60 * 60 * 1_000;

interface UserKey {
  workspaceId: string;
  userId: string;
}

/** For each pair one look into the index of users; expired and revoked tokens are left out, failed ones until they had their rest. */
const USABLE = statement(
  'push-tokens-usable',
  `select place, token, provider_key, status, device, properties from (
     select pair.place, usable.*, sum(coalesce(usable.bytes, 0)) over (order by pair.place) as bytes_so_far
       from unnest($1::uuid[], $2::text[]) with ordinality as pair (workspace_id, user_id, place)
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
   where bytes_so_far <= $5 or place = 1
   order by place, registered_at desc, token_hash`,
);

/**
 * The usable tokens of many users, in one statement: a list for each pair asked, in the order asked, the latest registered token
 * first. Large tokens end the answer early: it is then a beginning of what was asked, at least one, and the caller asks again
 * for the rest.
 */
export async function usableTokens(db: Queryable, users: readonly UserKey[]): Promise<UsableToken[][]> {
  const rows = await db.query<{ place: string } & (UsableToken | { token: null })>(USABLE, [
    users.map(({ workspaceId }) => workspaceId),
    users.map(({ userId }) => userId),
    FAILED_REST_MS,
    USABLE_TOKENS_PER_USER_MAX,
    USABLE_TOKENS_BYTES_MAX,
  ]);
  const found: UsableToken[][] = [];
  for (const { place, ...row } of rows) {
    const tokens = (found[Number(place) - 1] ??= []);
    if (row.token !== null) tokens.push(row);
  }
  return found;
}
