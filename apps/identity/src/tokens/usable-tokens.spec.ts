import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import { type UserTokenBody, type UserTokenEntry, userTokens } from '@tidings/contracts/identity/user-tokens';
import { Database } from '@tidings/persistence/database';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { FAILED_REST_MS, USABLE_TOKENS_BYTES_MAX, USABLE_TOKENS_PER_USER_MAX, usableTokens } from './usable-tokens';

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await sharedIdentity();
});

const put = (context: CallContext, user_id: string, token: string, body: Partial<UserTokenBody> = {}): Promise<void> =>
  identity.call(userTokens.put, context, { user_id, token, body: { provider_key: 'apn', expiry_date: false, ...body } });
const usable = async (context: CallContext, ...users: string[]): Promise<string[][]> => {
  const found = await usableTokens(
    identity.get(Database),
    users.map((userId) => ({ workspaceId: context.workspaceId, userId })),
  );
  return found.map((tokens) => tokens.map(({ token }) => token));
};
const setStatus = (context: CallContext, token: string, value: string): Promise<void> =>
  identity.call(userTokens.patch, context, { user_id: 'ada', token, patch: [{ op: 'replace', path: '/status', value }] });
const later = (context: CallContext, ms: number): Promise<object[]> =>
  identity.sql(
    `update identity.push_tokens set failed_at = failed_at - $2 * interval '1 ms', expires_at = expires_at - $2 * interval '1 ms',
       registered_at = registered_at - $2 * interval '1 ms' where workspace_id = $1`,
    [context.workspaceId, ms],
  );

it('returns the tokens of each user in the order of the users, the latest registered first', async () => {
  const [one, two] = [contextOf(randomUUID()), contextOf(randomUUID())];
  await put(one, 'ada', 'a1');
  await later(one, 1_000);
  await put(one, 'ada', 'a2', { device: { platform: 'ios' }, properties: { badge: 1 } });
  await put(one, 'grace', 'g1');
  await put(two, 'ada', 'foreign');

  await expect(usable(one, 'grace', 'unknown', 'ada', 'grace')).resolves.toEqual([['g1'], [], ['a2', 'a1'], ['g1']]);
  await expect(usable(one)).resolves.toEqual([]);
  const [tokens] = await usableTokens(identity.get(Database), [{ workspaceId: one.workspaceId, userId: 'ada' }]);
  expect(tokens![0]).toEqual({ token: 'a2', provider_key: 'apn', status: 'active', device: { platform: 'ios' }, properties: { badge: 1 } });
});

it('leaves out revoked and expired tokens', async () => {
  const context = contextOf(randomUUID());
  for (const token of ['unknown', 'revoked', 'active']) await put(context, 'ada', token);
  await put(context, 'ada', 'expired', { expiry_date: new Date(Date.now() + 60_000).toISOString() });
  await setStatus(context, 'unknown', 'unknown');
  await setStatus(context, 'revoked', 'revoked');
  await later(context, 61_000);

  expect((await usable(context, 'ada')).map((tokens) => tokens.sort())).toEqual([['active', 'unknown']]);
});

it('leaves out a failed token for an hour', async () => {
  const context = contextOf(randomUUID());
  await put(context, 'ada', 't1');
  await later(context, 1_000);
  const report = { workspace_id: context.workspaceId, token: 't1', outcome: 'suspicious', at: Date.now() } as const;
  await identity.call(userTokens.report, systemContext(randomUUID()), { reports: [report] });

  await later(context, FAILED_REST_MS - 60_000);
  await expect(usable(context, 'ada')).resolves.toEqual([[]]);
  await later(context, 60_000);
  await expect(usable(context, 'ada')).resolves.toEqual([['t1']]);
});

it('returns a bounded number of tokens per user', async () => {
  const context = contextOf(randomUUID());
  const tokens = Array.from({ length: USABLE_TOKENS_PER_USER_MAX + 1 }, (_, index): UserTokenEntry => ({
    token: `t${index}`,
    provider_key: 'apn',
  }));
  await identity.call(userTokens.putMany, context, { user_id: 'ada', tokens });

  const [found] = await usable(context, 'ada');

  expect(found).toHaveLength(USABLE_TOKENS_PER_USER_MAX);
});

it('answers for the first users only when the tokens are large, and for one user at least', async () => {
  const context = contextOf(randomUUID());
  const large = Array.from({ length: 60 }, (_, index): Omit<UserTokenEntry, 'token'> & { n: number } => ({
    n: index,
    provider_key: 'apn',
    properties: 'x'.repeat(16_000),
  }));
  const users = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'];
  for (const user_id of users) {
    const tokens = large.map(({ n, ...entry }) => ({ ...entry, token: `${user_id} ${n}` }));
    await identity.call(userTokens.putMany, context, { user_id, tokens });
  }

  const found = await usable(context, ...users);

  expect(found).toHaveLength(Math.floor(USABLE_TOKENS_BYTES_MAX / (60 * 16_010)));
  expect(found.every((tokens) => tokens.length === 60)).toBe(true);
  await expect(usable(context, 'u6')).resolves.toHaveLength(1);
});
