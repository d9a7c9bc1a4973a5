import type { CallContext } from '@tidings/contracts/core/context';
import { PUSH_TOKENS_PER_USER_MAX, type UserTokenEntry } from '@tidings/contracts/identity/user-tokens';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { whileLocked } from '@tidings/testing/while-locked';
import { NEVER, ownerOf, type TokenOwner } from './token-owner.fixture';

let identity: RunningIdentity;
const newUser = (user_id?: string, context?: CallContext): TokenOwner => ownerOf(identity, user_id, context);

beforeAll(async () => {
  identity = await sharedIdentity();
});

describe('registering many tokens', () => {
  it('adds them to the registered ones', async () => {
    const ada = newUser();
    await ada.put('t1');

    await expect(
      ada.putMany([
        { token: 't2', ...NEVER },
        { token: 't1', ...NEVER, provider_key: 'expo' },
      ]),
    ).resolves.toBeUndefined();

    await expect(ada.tokens()).resolves.toEqual(['t1', 't2']);
    await expect(ada.token('t1')).resolves.toMatchObject({ provider_key: 'expo' });
  });

  it.each([undefined, null, []])('does nothing with %j', async (none) => {
    const ada = newUser();
    await ada.put('t1');

    await expect(ada.putMany(none)).resolves.toBeUndefined();
    await expect(ada.tokens()).resolves.toEqual(['t1']);
  });

  it('stores the last of two entries for one token', async () => {
    const ada = newUser();

    await ada.putMany([
      { token: 't1', ...NEVER },
      { token: 't1', ...NEVER, provider_key: 'onesignal' },
    ]);

    await expect(ada.list()).resolves.toMatchObject([{ token: 't1', provider_key: 'onesignal' }]);
  });

  it('does not deadlock two calls that move the same tokens in opposite orders', async () => {
    const ada = newUser();
    const grace = newUser('grace', ada.context);
    const entries = Array.from({ length: 50 }, (_, index) => ({ token: `t${index}`, ...NEVER }));
    await ada.putMany(entries);
    const lock = {
      statement: "select from identity.push_tokens where workspace_id = $1 and token = 't25' for update",
      values: [ada.context.workspaceId],
      waiting: 2,
    };

    await whileLocked(identity.adminUrl, lock, () => Promise.all([ada.putMany(entries), grace.putMany(entries.toReversed())]));

    expect([...(await ada.tokens()), ...(await grace.tokens())]).toHaveLength(50);
  });

  it('bounds the tokens of a user, removing revoked and expired ones first', async () => {
    const ada = newUser();
    const entries = Array.from({ length: PUSH_TOKENS_PER_USER_MAX }, (_, index) => ({ token: `t${index}`, ...NEVER }));
    await ada.putMany(entries);

    await expect(ada.put('one more')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(`User ada would have more than ${PUSH_TOKENS_PER_USER_MAX} push tokens`) as string,
    });
    await expect(ada.token('one more')).rejects.toMatchObject({ code: 'not_found' });

    await ada.patch('t7', { op: 'replace', path: '/status', value: 'revoked' });
    await ada.put('one more');
    await expect(ada.tokens()).resolves.toEqual(
      [...entries.map(({ token }) => token).filter((token) => token !== 't7'), 'one more'].sort(),
    );
  });

  it('bounds the size of one answer, also for two concurrent registrations', async () => {
    const ada = newUser();
    const large = (token: string): UserTokenEntry => ({ token, ...NEVER, properties: 'x'.repeat(16_000) });
    await ada.putMany(Array.from({ length: 64 }, (_, index) => large(`t${index}`)));

    const outcomes = await Promise.allSettled([ada.put('a', large('a')), ada.put('b', large('b'))]);

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(ada.list()).resolves.toHaveLength(65);
  });
});
