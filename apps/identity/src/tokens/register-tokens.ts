import { invalid } from '@tidings/contracts/core/refusals';
import { PUSH_TOKENS_BYTES_PER_USER_MAX, PUSH_TOKENS_PER_USER_MAX } from '@tidings/contracts/identity/user-tokens';
import { advisoryLock } from '@tidings/persistence/advisory';
import { columnsOf } from '@tidings/persistence/columns-of';
import { statement, type Transaction } from '@tidings/persistence/database';
import type { StoredToken } from './stored-token';

const DAY_MS = 86_400_000;

/** How long a token is retained after its expiry, in ms. */
export const EXPIRED_RETENTION_MS = 30 * DAY_MS;
/** Tokens past their retention that one registration removes for each token it adds: removals outpace additions. */
const SWEPT_PER_TOKEN = 2;

// SQL because one statement registers a thousand tokens.
/** In key order: two calls with the same tokens do not deadlock. */
const REGISTER = statement(
  'push-tokens-register',
  `insert into push_tokens
     (workspace_id, user_id, token_hash, token, provider_key, device, tracking, properties, expires_at, bytes)
   select $1::uuid, $2::text, entry.* from
     (select hash, token, provider_key, device::jsonb, tracking::jsonb, properties::jsonb, expires_at, bytes
        from unnest($3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::int[])
          as given (hash, token, provider_key, device, tracking, properties, expires_at, bytes)
       order by hash) as entry
   on conflict (workspace_id, token_hash) do update set
     user_id = excluded.user_id, provider_key = excluded.provider_key,
     device = excluded.device, tracking = excluded.tracking, properties = excluded.properties,
     expires_at = excluded.expires_at, bytes = excluded.bytes,
     status = 'active', status_reason = null, failed_at = null, reported_at = null, registered_at = excluded.registered_at`,
);

// SQL because the sums are computed where the rows are.
/**
 * The user's tokens beyond the bounds of number or size. Tokens in use rank first, then the rest; in each group the latest
 * registered.
 */
const BEYOND = statement(
  'push-tokens-beyond',
  `select token_hash, over from (
     select token_hash, over, row_number() over ranking as rank, sum(bytes) over ranking as bytes from (
       select token_hash, bytes, registered_at, status = 'revoked' or coalesce(expires_at <= now(), false) as over
         from push_tokens where workspace_id = $1 and user_id = $2
     ) as token
     window ranking as (order by over, registered_at desc, token_hash rows unbounded preceding)
   ) as ranked
   where rank > $3 or bytes > $4`,
);

// SQL because both deletions skip locked rows: they never wait while this transaction has locked others.
const REMOVE_OVER = statement(
  'push-tokens-remove-over',
  `delete from push_tokens where workspace_id = $1 and token_hash = any (array(
     select token_hash from push_tokens where workspace_id = $1 and token_hash = any ($2::bytea[]) for update skip locked))`,
);

const SWEEP = statement(
  'push-tokens-sweep',
  `delete from push_tokens where workspace_id = $1 and token_hash = any (array(
     select token_hash from push_tokens
      where workspace_id = $1 and expires_at < now() - $2 * interval '1 millisecond'
        and registered_at < now() - $2 * interval '1 millisecond'
      order by expires_at limit $3 for update skip locked))`,
);

/** Locks a user's tokens before a transaction adds one or makes one larger: two at once could together exceed the bounds. */
export const lockUser = advisoryLock('push-tokens', 'identity');

/**
 * Registers distinct tokens for a user; they move from the users that had them, and their stored data is replaced. Also removes
 * some of the workspace's tokens that expired long ago: registrations keep the table small, no other job does.
 */
export async function registerTokens(tx: Transaction, workspaceId: string, userId: string, tokens: readonly StoredToken[]) {
  await lockUser(tx.manager, workspaceId, userId);
  await tx.execute(REGISTER, [
    workspaceId,
    userId,
    ...columnsOf(tokens, 'hash', 'token', 'providerKey'),
    tokens.map(({ device }) => jsonOf(device)),
    tokens.map(({ tracking }) => jsonOf(tracking)),
    tokens.map(({ properties }) => jsonOf(properties)),
    tokens.map(({ expiresAt }) => expiresAt?.toISOString() ?? null),
    ...columnsOf(tokens, 'bytes'),
  ]);
  await enforceBounds(tx, workspaceId, userId);
  await tx.execute(SWEEP, [workspaceId, EXPIRED_RETENTION_MS, SWEPT_PER_TOKEN * tokens.length]);
}

/** Removes revoked and expired tokens beyond the bounds. @throws ServiceError `invalid_request` where the tokens in use exceed them. */
export async function enforceBounds(tx: Transaction, workspaceId: string, userId: string) {
  const beyond = await tx.query<{ token_hash: Buffer; over: boolean }>(BEYOND, [
    workspaceId,
    userId,
    PUSH_TOKENS_PER_USER_MAX,
    PUSH_TOKENS_BYTES_PER_USER_MAX,
  ]);
  if (beyond.length === 0) return;
  if (beyond.some(({ over }) => !over)) {
    throw invalid(
      `User ${userId} would have more than ${PUSH_TOKENS_PER_USER_MAX} push tokens, or more than ${PUSH_TOKENS_BYTES_PER_USER_MAX} bytes of them: delete some first`,
    );
  }
  await tx.execute(REMOVE_OVER, [workspaceId, ...columnsOf(beyond, 'token_hash')]);
}

const jsonOf = (value: object | null) => (value === null ? null : JSON.stringify(value));
