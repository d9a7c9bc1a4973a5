import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { userTokens } from '@tidings/contracts/identity/user-tokens';
import { ProcessLogger } from '@tidings/runtime/logger';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, startIdentity } from '../testing/start-identity';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { EXPIRED_RETENTION_MS } from './register-tokens';
import { age, NEVER, ownerOf, type TokenOwner } from './token-owner.fixture';

const DAY_MS = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

let identity: RunningIdentity;
const newUser = (user_id?: string, context?: CallContext): TokenOwner => ownerOf(identity, user_id, context);
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

describe('listing tokens', () => {
  it('lists the latest registered first', async () => {
    const ada = newUser();
    for (const token of ['t1', 't3', 't2']) {
      await ada.put(token);
      await age(identity, ada.context, 1_000);
    }
    await ada.put('t1');

    expect((await ada.list()).map(({ token }) => token)).toEqual(['t1', 't2', 't3']);
  });

  it('is empty for an unknown user', async () => {
    await expect(newUser('unknown').list()).resolves.toEqual([]);
  });
});

describe('a token whose expiry has passed', () => {
  it('is revoked in every answer', async () => {
    const ada = newUser();
    await ada.put('t1', { provider_key: 'apn', expiry_date: inDays(1) });
    await expect(ada.token('t1')).resolves.toMatchObject({ status: 'active' });

    await age(identity, ada.context, 2 * DAY_MS);

    const expired = { token: 't1', status: 'revoked', status_reason: 'expired' };
    await expect(ada.token('t1')).resolves.toMatchObject(expired);
    await expect(ada.list()).resolves.toMatchObject([expired]);
  });

  it('is revoked at once when the date was in the past', async () => {
    const ada = newUser();

    await ada.put('t1', { provider_key: 'apn', expiry_date: '2020-01-01' });

    await expect(ada.token('t1')).resolves.toMatchObject({
      expiry_date: '2020-01-01T00:00:00.000Z',
      status: 'revoked',
      status_reason: 'expired',
    });
  });

  it('is active again once it is registered', async () => {
    const ada = newUser();
    await ada.put('t1', { provider_key: 'apn', expiry_date: '2020-01-01' });

    await ada.put('t1');

    await expect(ada.token('t1')).resolves.toMatchObject({ status: 'active', expiry_date: false });
  });

  it('is removed after 30 days by the next registrations in the workspace', async () => {
    const ada = newUser();
    await ada.putMany(['t1', 't2', 't3'].map((token) => ({ token, provider_key: 'apn', expiry_date: inDays(1) })));
    await ada.put('never');
    await age(identity, ada.context, DAY_MS + EXPIRED_RETENTION_MS - 60_000);
    await ada.put('today');
    await expect(ada.tokens()).resolves.toEqual(['never', 't1', 't2', 't3', 'today']);

    await age(identity, ada.context, 120_000);
    await newUser('grace', ada.context).put('u1');
    await newUser('grace', ada.context).put('u2');

    await expect(ada.tokens()).resolves.toEqual(['never', 'today']);
  });
});

describe('deleting a token', () => {
  it('removes it, once', async () => {
    const ada = newUser();
    await ada.put('t1');

    await expect(newUser('grace', ada.context).remove('t1')).rejects.toMatchObject({ code: 'not_found' });
    await expect(ada.remove('t1')).resolves.toBeUndefined();
    await expect(ada.token('t1')).rejects.toMatchObject({ code: 'not_found' });
    await expect(ada.remove('t1')).rejects.toMatchObject({ code: 'not_found', message: 'User ada has no such push token' });
  });

  it('succeeds again when a transport delivers it twice', async () => {
    const ada = newUser();
    await ada.put('t1');
    const redelivered = identity.redelivered();
    const deliver = () => redelivered(userTokens.remove, ada.context, { user_id: 'ada', token: 't1' });

    await deliver();

    await expect(deliver()).resolves.toBeUndefined();
  });
});

it('no error message and no log line contains a token', async () => {
  const secret = 'S3CRET-of-a-device';
  const lines: string[] = [];
  const broken = await startIdentity();
  Logger.overrideLogger(ProcessLogger.create({ process: 'spec', format: 'json', destination: { write: (line) => lines.push(line) } }));
  try {
    const context = contextOf(randomUUID());
    const key = { user_id: 'ada', token: secret };
    const attempts = async (): Promise<string[]> => {
      const calls = [
        broken.call(userTokens.retrieve, context, key),
        broken.call(userTokens.remove, context, key),
        broken.call(userTokens.patch, context, { ...key, patch: [] }),
        broken.call(userTokens.put, context, { ...key, body: { provider_key: 'pigeon' as never } }),
        broken.call(userTokens.putMany, context, { user_id: 'ada', tokens: [{ token: secret, ...NEVER, properties: 'a\0b' }] }),
      ];
      return (await Promise.allSettled(calls)).map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : 'done'));
    };
    const messages = await attempts();
    expect(messages).not.toContain('done');

    // PostgreSQL's message for this repeats the row.
    await broken.sql('alter table identity.push_tokens add constraint unkind check (user_id is null)', []);
    await expect(broken.call(userTokens.put, context, { ...key, body: { ...NEVER } })).rejects.toMatchObject({ code: 'internal' });
    expect(lines.join()).toContain('identity.user-tokens.put failed');
    expect([...messages, ...lines].join()).not.toContain(secret);
  } finally {
    Logger.overrideLogger(['error', 'warn']);
    await broken.stop();
  }
});

const body = { ...NEVER };
describeWorkspaceIsolation('a push token', {
  arrange: async (owner) => void (await call(userTokens.put, owner, { user_id: 'ada', token: 't1', body: { provider_key: 'expo' } })),
  read: (owner) => call(userTokens.retrieve, owner, { user_id: 'ada', token: 't1' }),
  attempts: {
    retrieve: { attempt: (stranger) => call(userTokens.retrieve, stranger, { user_id: 'ada', token: 't1' }), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(userTokens.list, stranger, { user_id: 'ada' }) },
    patch: {
      attempt: (stranger) => call(userTokens.patch, stranger, { user_id: 'ada', token: 't1', patch: [] }),
      refusedWith: 'not_found',
    },
    put: { attempt: (stranger) => call(userTokens.put, stranger, { user_id: 'ada', token: 't1', body }) },
    putMany: { attempt: (stranger) => call(userTokens.putMany, stranger, { user_id: 'ada', tokens: [{ token: 't1', ...NEVER }] }) },
    remove: { attempt: (stranger) => call(userTokens.remove, stranger, { user_id: 'ada', token: 't1' }), refusedWith: 'not_found' },
  },
});
