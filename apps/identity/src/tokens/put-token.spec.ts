import type { CallContext } from '@tidings/contracts/core/context';
import {
  PUSH_PROVIDER_KEYS,
  PUSH_TOKEN_DETAILS_BYTES_MAX,
  type UserTokenBody,
  type UserTokenEntry,
} from '@tidings/contracts/identity/user-tokens';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { whileLocked } from '@tidings/testing/while-locked';
import { defaultExpiry } from './default-expiry';
import { NEVER, ownerOf, type TokenOwner } from './token-owner.fixture';

let identity: RunningIdentity;
const newUser = (user_id?: string, context?: CallContext): TokenOwner => ownerOf(identity, user_id, context);

beforeAll(async () => {
  identity = await sharedIdentity();
});

describe('registering a token', () => {
  it('stores and returns all fields', async () => {
    const ada = newUser();
    const body: UserTokenBody = {
      provider_key: 'firebase-fcm',
      device: { app_id: 'app', ad_id: 'ad', device_id: 'd1', platform: 'android', manufacturer: 'm', model: 'x' },
      tracking: { os_version: '15', ip: '192.0.2.1', lat: '52.5', long: '13.4' },
      properties: { nested: [1, null, { a: 'b' }] },
      expiry_date: '2099-05-01T12:00:00+02:00',
    };

    await expect(ada.put('t1', body)).resolves.toBeUndefined();

    await expect(ada.token('t1')).resolves.toEqual({ token: 't1', status: 'active', ...body, expiry_date: '2099-05-01T10:00:00.000Z' });
  });

  it.each(PUSH_PROVIDER_KEYS)('accepts the provider %s', async (provider_key) => {
    const ada = newUser();

    await ada.put('t1', { provider_key });

    await expect(ada.token('t1')).resolves.toMatchObject({ provider_key });
  });

  it.each([undefined, null])('sets the expiry to two months when the date is %s', async (expiry_date) => {
    const ada = newUser();
    const from = new Date();
    await ada.put('t1', { provider_key: 'apn', expiry_date });
    const to = new Date();

    const answered = String((await ada.token('t1')).expiry_date);

    // Compares by the time of day, which expiry and registration share: over midnight of 30 July a later registration expires first.
    const registered = [from, to]
      .map((day) => new Date(day.toISOString().slice(0, 10) + answered.slice(10)))
      .filter((at) => from <= at && at <= to);
    expect(registered.map((at) => defaultExpiry(at).toISOString())).toContain(answered);
  });

  it.each([false, 'false'])('never expires with the date %j, and returns false', async (expiry_date) => {
    const ada = newUser();
    await ada.put('t1', { provider_key: 'apn', expiry_date });

    await expect(ada.token('t1')).resolves.toMatchObject({ expiry_date: false, status: 'active' });
  });

  it('replaces the stored fields, and makes the token active again', async () => {
    const ada = newUser();
    await ada.put('t1', { ...NEVER, properties: { a: 1 }, device: { platform: 'ios' } });
    await ada.patch('t1', { op: 'replace', path: '/status', value: 'revoked' });

    await ada.put('t1', { provider_key: 'expo', expiry_date: false });

    await expect(ada.token('t1')).resolves.toEqual({ token: 't1', provider_key: 'expo', expiry_date: false, status: 'active' });
  });

  it('moves it from the user who had it', async () => {
    const ada = newUser();
    const grace = newUser('grace', ada.context);
    await ada.put('t1');

    await grace.put('t1');

    await expect(ada.token('t1')).rejects.toMatchObject({ code: 'not_found' });
    await expect(ada.list()).resolves.toEqual([]);
    await expect(grace.tokens()).resolves.toEqual(['t1']);
  });

  it('belongs to one user after two concurrent registrations', async () => {
    const ada = newUser();
    const grace = newUser('grace', ada.context);
    await ada.put('t1');
    const row = { statement: 'select from identity.push_tokens where workspace_id = $1 for update', values: [ada.context.workspaceId] };

    await whileLocked(identity.adminUrl, { ...row, waiting: 2 }, () => Promise.all([ada.put('t1'), grace.put('t1')]));

    expect([...(await ada.tokens()), ...(await grace.tokens())]).toEqual(['t1']);
  });

  it('accepts a token in the body only if it equals the one in the path', async () => {
    const ada = newUser();

    await ada.put('t1', { ...NEVER, token: 't1' });
    await ada.put('t2', { ...NEVER, token: null });
    await expect(ada.put('t3', { ...NEVER, token: 'secret' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'token in the body must be the one in the path',
    });
    await expect(ada.tokens()).resolves.toEqual(['t1', 't2']);
  });

  it('treats tokens that differ in case, accents or blanks as different, and accepts long ones', async () => {
    const ada = newUser();
    const tokens = ['T', 't', 't ', 'a/b:c+d=[e]%2F', 'é', 'e\u0301', '🙂'.repeat(2_000)].sort();

    for (const token of tokens) await ada.put(token);

    await expect(ada.tokens()).resolves.toEqual(tokens);
  });

  it.each<[string, object]>([
    ['an unknown provider', { provider_key: 'pigeon' }],
    ['no provider', {}],
    ['an expiry date of true', { provider_key: 'apn', expiry_date: true }],
    ['an invalid date', { provider_key: 'apn', expiry_date: '2030-02-30' }],
    ['a string as device', { provider_key: 'apn', device: 'phone' }],
    ['NUL in a detail', { provider_key: 'apn', device: { model: 'a\0b' } }],
    ['NUL in a key of the properties', { provider_key: 'apn', properties: { 'a\0b': 1 } }],
    ['half of a surrogate pair', { provider_key: 'apn', tracking: { ip: '\ud800' } }],
    ['properties that are too large', { provider_key: 'apn', properties: 'x'.repeat(PUSH_TOKEN_DETAILS_BYTES_MAX) }],
  ])('refuses %s', async (_, body) => {
    const ada = newUser();

    await expect(ada.put('t1', body as UserTokenBody)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(ada.putMany([{ token: 't1', ...(body as UserTokenBody) } as UserTokenEntry])).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(ada.list()).resolves.toEqual([]);
  });

  it('refuses ids that cannot be stored, in every operation', async () => {
    const attempts = (user: string, token: string) => {
      const { put, patch, remove, token: retrieve } = newUser(user);
      return [() => put(token), () => patch(token), () => remove(token), () => retrieve(token)];
    };
    const invalid = { code: 'invalid_request' };

    for (const attempt of [
      ...attempts('a\0b', 't'),
      ...attempts('ada', 't\0'),
      ...attempts('ada', ''),
      ...attempts('ada', 'x'.repeat(4_097)),
    ]) {
      await expect(attempt()).rejects.toMatchObject(invalid);
    }
    await expect(newUser('a\0b').list()).rejects.toMatchObject(invalid);
    await expect(newUser('a\0b').putMany()).rejects.toMatchObject(invalid);
  });
});
