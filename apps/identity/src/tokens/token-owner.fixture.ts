import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import type { PatchOperation } from '@tidings/contracts/identity/profiles';
import { type UserToken, type UserTokenBody, type UserTokenEntry, userTokens } from '@tidings/contracts/identity/user-tokens';
import { contextOf } from '@tidings/testing/context-of';
import type { RunningIdentity } from '../testing/start-identity';

/** A plain registration that never expires. */
export const NEVER = { provider_key: 'apn', expiry_date: false } as const;

export interface TokenOwner {
  context: CallContext;
  list(): Promise<UserToken[]>;
  /** The user's tokens, sorted. */
  tokens(): Promise<string[]>;
  put(token: string, body?: UserTokenBody): Promise<void>;
  putMany(tokens?: UserTokenEntry[] | null): Promise<void>;
  patch(token: string, ...patch: PatchOperation[]): Promise<void>;
  remove(token: string): Promise<void>;
  token(token: string): Promise<UserToken>;
}

/** A user of a workspace; by default of a new one. */
export function ownerOf({ call }: RunningIdentity, user_id = 'ada', context = contextOf(randomUUID())): TokenOwner {
  const list = async (): Promise<UserToken[]> => (await call(userTokens.list, context, { user_id })).tokens;
  return {
    context,
    list,
    tokens: async () => (await list()).map(({ token }) => token).sort(),
    put: (token, body = { ...NEVER }) => call(userTokens.put, context, { user_id, token, body }),
    putMany: (tokens) => call(userTokens.putMany, context, { user_id, tokens }),
    patch: (token, ...patch) => call(userTokens.patch, context, { user_id, token, patch }),
    remove: (token) => call(userTokens.remove, context, { user_id, token }),
    token: (token) => call(userTokens.retrieve, context, { user_id, token }),
  };
}

/** Moves all times of a workspace's tokens `ms` into the past. */
export async function age({ sql }: RunningIdentity, { workspaceId }: CallContext, ms: number): Promise<void> {
  await sql(
    `update identity.push_tokens set registered_at = registered_at - $2 * interval '1 ms', expires_at = expires_at - $2 * interval '1 ms',
       failed_at = failed_at - $2 * interval '1 ms', reported_at = reported_at - $2 * interval '1 ms' where workspace_id = $1`,
    [workspaceId, ms],
  );
}
