import { randomUUID } from 'node:crypto';
import { NESTING_DEPTH_MAX } from '@tidings/contracts/core/text';
import { type PatchOperation, PROFILE_BYTES_MAX, type ProfileFields, profiles } from '@tidings/contracts/identity/profiles';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

/** A user of a new workspace. */
function newUser(user_id = 'ada') {
  const context = contextOf(randomUUID());
  return {
    context,
    merge: (profile: ProfileFields) => call(profiles.merge, context, { user_id, profile }),
    replace: (profile: ProfileFields) => call(profiles.replace, context, { user_id, profile }),
    patch: (...patch: PatchOperation[]) => call(profiles.patch, context, { user_id, patch }),
    remove: () => call(profiles.remove, context, { user_id }),
    profile: async () => (await call(profiles.retrieve, context, { user_id })).profile,
  };
}

const SUCCESS = { status: 'SUCCESS' };

describe('retrieving a profile', () => {
  it('returns every member as it was stored', async () => {
    const ada = newUser();
    const stored = { email: 'ada@example.com', custom: { score: 1.5, tags: ['a', null], empty: {} }, phone_number: null, 'naïve 🙂': true };
    await ada.replace(stored);

    await expect(ada.profile()).resolves.toEqual(stored);
  });

  it('names the user whose profile is missing', async () => {
    await expect(newUser('grace').profile()).rejects.toMatchObject({ code: 'not_found', message: 'User grace has no profile' });
  });

  it('treats user ids that differ in case or in a trailing blank as different users', async () => {
    const { context, replace } = newUser('Ada');
    await replace({ name: 'Ada' });

    for (const user_id of ['ada', 'Ada ', 'A\u0301da']) {
      await expect(call(profiles.retrieve, context, { user_id })).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('merging into a profile', () => {
  it('creates it', async () => {
    const ada = newUser();

    await expect(ada.merge({ email: 'ada@example.com' })).resolves.toEqual(SUCCESS);
    await expect(ada.profile()).resolves.toEqual({ email: 'ada@example.com' });
  });

  it('merges objects, replaces arrays and scalars, and stores null as a value', async () => {
    const ada = newUser();
    await ada.replace({ name: 'Ada', slack: { user_id: 'U1', channel: 'C1' }, tags: ['a', 'b'], phone_number: '1' });

    await ada.merge({ slack: { access_token: 't', channel: null }, tags: ['c'], phone_number: null });

    await expect(ada.profile()).resolves.toEqual({
      name: 'Ada',
      slack: { user_id: 'U1', channel: null, access_token: 't' },
      tags: ['c'],
      phone_number: null,
    });
  });

  it('stores all of twenty concurrent merges, including the first', async () => {
    const ada = newUser();

    await Promise.all(Array.from({ length: 20 }, (_, index) => ada.merge({ custom: { [`field${index}`]: index } })));

    const expected = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field${index}`, index]));
    await expect(ada.profile()).resolves.toEqual({ custom: expected });
  });

  it('refuses a merge that exceeds the size limit, and does not change the profile', async () => {
    const ada = newUser();
    await ada.merge({ a: 'x'.repeat(200 * 1024) });

    await expect(ada.merge({ b: 'x'.repeat(100 * 1024) })).rejects.toMatchObject({
      code: 'invalid_request',
      message: `The profile of ada would take ${300 * 1024 + '{"a":"","b":""}'.length} bytes, at most ${PROFILE_BYTES_MAX} are stored`,
    });
    await expect(ada.profile()).resolves.toEqual({ a: 'x'.repeat(200 * 1024) });
  });
});

describe('replacing a profile', () => {
  it('creates it', async () => {
    const ada = newUser();

    await expect(ada.replace({ name: 'Ada' })).resolves.toEqual(SUCCESS);
    await expect(ada.profile()).resolves.toEqual({ name: 'Ada' });
  });

  it('drops members that are not named', async () => {
    const ada = newUser();
    await ada.replace({ name: 'Ada', slack: { user_id: 'U1' } });

    await ada.replace({ slack: { channel: 'C1' } });

    await expect(ada.profile()).resolves.toEqual({ slack: { channel: 'C1' } });
  });

  it('clears it with an empty one', async () => {
    const ada = newUser();
    await ada.replace({ name: 'Ada' });

    await expect(ada.replace({})).resolves.toEqual(SUCCESS);
    await expect(ada.profile()).resolves.toEqual({});
  });

  it('accepts exactly the maximum size, counted in UTF-8', async () => {
    const ada = newUser();
    const frame = '{"a":""}'.length;
    const fitting = { a: '€'.repeat(Math.floor((PROFILE_BYTES_MAX - frame) / 3)) + 'x'.repeat((PROFILE_BYTES_MAX - frame) % 3) };

    await expect(ada.replace(fitting)).resolves.toEqual(SUCCESS);
    await expect(ada.replace({ a: `${fitting.a}x` })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('patching a profile', () => {
  it('applies every step', async () => {
    const ada = newUser();
    await ada.replace({ name: 'Ada', tags: ['a'] });

    const answer = await ada.patch(
      { op: 'test', path: '/name', value: 'Ada' },
      { op: 'replace', path: '/name', value: null },
      { op: 'add', path: '/tags/0', value: { nested: [1] } },
    );

    expect(answer).toEqual(SUCCESS);
    await expect(ada.profile()).resolves.toEqual({ name: null, tags: [{ nested: [1] }, 'a'] });
  });

  it('applies no step when one is refused, and names the step and the reason', async () => {
    const ada = newUser();
    await ada.replace({ name: 'Ada' });

    await expect(ada.patch({ op: 'replace', path: '/name', value: 'Grace' }, { op: 'remove', path: '/missing' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'patch[1]: remove "/missing": the path does not exist',
    });
    await expect(ada.profile()).resolves.toEqual({ name: 'Ada' });
  });

  it('changes nothing without steps', async () => {
    const ada = newUser();
    await ada.replace({ name: 'Ada' });

    await expect(ada.patch()).resolves.toEqual(SUCCESS);
    await expect(ada.profile()).resolves.toEqual({ name: 'Ada' });
  });

  it('is refused without a profile', async () => {
    await expect(newUser('grace').patch({ op: 'add', path: '/a', value: 1 })).rejects.toMatchObject({
      code: 'not_found',
      message: 'User grace has no profile',
    });
  });

  it.each<PatchOperation>([
    { op: 'replace', path: '', value: [] },
    { op: 'replace', path: '', value: null },
    { op: 'remove', path: '' },
  ])('refuses %j, whose result is no object', async (operation) => {
    const ada = newUser();
    await ada.replace({ name: 'Ada' });

    await expect(ada.patch(operation)).rejects.toMatchObject({ code: 'invalid_request', message: 'The profile of ada must be an object' });
    await expect(ada.profile()).resolves.toEqual({ name: 'Ada' });
  });

  it('stores all of twenty concurrent patches', async () => {
    const ada = newUser();
    await ada.replace({ numbers: [] });

    await Promise.all(Array.from({ length: 20 }, (_, value) => ada.patch({ op: 'add', path: '/numbers/-', value })));

    const { numbers } = await ada.profile();
    expect((numbers as number[]).sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, value) => value));
  });

  it('refuses a patch that nests the profile step by step beyond the limit', async () => {
    const ada = newUser();
    await ada.replace({ a: {} });
    const deeper = Array.from({ length: NESTING_DEPTH_MAX }, (_, depth): PatchOperation => ({
      op: 'add',
      path: '/a'.repeat(depth + 2),
      value: {},
    }));

    await expect(ada.patch(...deeper)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(ada.profile()).resolves.toEqual({ a: {} });
  });
});

describe('deleting a profile', () => {
  it('removes it', async () => {
    const ada = newUser();
    await ada.replace({ name: 'Ada' });

    await expect(ada.remove()).resolves.toBeUndefined();
    await expect(ada.profile()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('succeeds without a profile', async () => {
    await expect(newUser().remove()).resolves.toBeUndefined();
  });
});

describe('values that cannot be stored or read', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
  const hostile: [string, ProfileFields][] = [
    ['a NUL in a value', { a: 'x\0y' }],
    ['a NUL in a key', { 'x\0y': 1 }],
    ['half of a surrogate pair', { a: '\ud800' }],
    ['a number that JSON would round', { a: 2 ** 60 }],
    ['deep nesting', { a: nested(1_000) }],
    ['a __proto__ key', JSON.parse('{"a":{"__proto__":{"polluted":1}}}') as ProfileFields],
    ['five megabytes', { a: 'x'.repeat(5 * 1024 * 1024) }],
  ];

  it.each(hostile)('%s is refused as invalid_request by every kind of write', async (_, profile) => {
    const ada = newUser();
    await ada.replace({ name: 'Ada' });

    for (const attempt of [ada.merge(profile), ada.replace(profile), ada.patch({ op: 'replace', path: '', value: profile })]) {
      await expect(attempt).rejects.toMatchObject({ code: 'invalid_request' });
    }
    await expect(ada.profile()).resolves.toEqual({ name: 'Ada' });
  });

  it('are refused in a user id as well', async () => {
    const ghost = newUser('a\0b');

    for (const attempt of [ghost.profile(), ghost.merge({}), ghost.replace({}), ghost.patch(), ghost.remove()]) {
      await expect(attempt).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('user_id') as string });
    }
  });

  it('stores members with inherited names without touching prototypes', async () => {
    const ada = newUser();
    const profile = { constructor: { prototype: { polluted: 1 } }, toString: 'mine', hasOwnProperty: { polluted: 1 } };

    await ada.merge({ name: 'Ada' });
    await ada.merge(profile);
    await ada.patch(
      { op: 'add', path: '/constructor/prototype/polluted', value: 2 },
      { op: 'test', path: '/hasOwnProperty', value: { polluted: 1 } },
    );

    await expect(ada.profile()).resolves.toEqual({ name: 'Ada', ...profile, constructor: { prototype: { polluted: 2 } } });
    expect(({} as ProfileFields).polluted).toBeUndefined();
  });
});

const own = { user_id: 'ada', profile: { name: 'Stranger' } };
describeWorkspaceIsolation('a profile', {
  arrange: async (owner) => void (await call(profiles.replace, owner, { user_id: 'ada', profile: { name: 'Ada' } })),
  look: (owner) => call(profiles.retrieve, owner, { user_id: 'ada' }),
  attempts: {
    retrieve: { attempt: (stranger) => call(profiles.retrieve, stranger, { user_id: 'ada' }), refusedWith: 'not_found' },
    patch: { attempt: (stranger) => call(profiles.patch, stranger, { user_id: 'ada', patch: [] }), refusedWith: 'not_found' },
    merge: { attempt: (stranger) => call(profiles.merge, stranger, own) },
    replace: { attempt: (stranger) => call(profiles.replace, stranger, own) },
    remove: { attempt: (stranger) => call(profiles.remove, stranger, { user_id: 'ada' }) },
  },
});
