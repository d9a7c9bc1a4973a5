import type { CallContext } from '@tidings/contracts/core/context';
import type { PatchOperation } from '@tidings/contracts/identity/profiles';
import { PUSH_TOKEN_DETAILS_BYTES_MAX } from '@tidings/contracts/identity/user-tokens';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { NEVER, ownerOf, type TokenOwner } from './token-owner.fixture';

let identity: RunningIdentity;
const newUser = (user_id?: string, context?: CallContext): TokenOwner => ownerOf(identity, user_id, context);

beforeAll(async () => {
  identity = await sharedIdentity();
});

const DAY_MS = 86_400_000;
const tomorrow = (): string => new Date(Date.now() + DAY_MS).toISOString();

describe('patching a token', () => {
  it('changes the fields of a registration, the status and the reason', async () => {
    const ada = newUser();
    await ada.put('t1', { ...NEVER, device: { platform: 'ios' } });

    await ada.patch(
      't1',
      { op: 'test', path: '/status', value: 'active' },
      { op: 'replace', path: '/status', value: 'failed' },
      { op: 'add', path: '/status_reason', value: 'unreachable' },
      { op: 'replace', path: '/device/platform', value: 'ipados' },
      { op: 'replace', path: '/properties', value: { a: 1 } },
      { op: 'replace', path: '/expiry_date', value: '2099-01-01' },
    );

    await expect(ada.token('t1')).resolves.toEqual({
      token: 't1',
      provider_key: 'apn',
      device: { platform: 'ipados' },
      properties: { a: 1 },
      expiry_date: '2099-01-01T00:00:00.000Z',
      status: 'failed',
      status_reason: 'unreachable',
    });
  });

  it('drops the reason when the status changes', async () => {
    const ada = newUser();
    await ada.put('t1');
    await ada.patch('t1', { op: 'replace', path: '/status', value: 'failed' }, { op: 'replace', path: '/status_reason', value: 'x' });

    await ada.patch('t1', { op: 'replace', path: '/status', value: 'active' });

    expect(await ada.token('t1')).not.toHaveProperty('status_reason');
  });

  it.each<[string, PatchOperation[]]>([
    [
      'a step of its own',
      [
        { op: 'replace', path: '/status', value: 'revoked' },
        { op: 'add', path: '/status_reason', value: 'unreachable' },
      ],
    ],
    ['the whole token', [{ op: 'replace', path: '', value: { token: 't1', ...NEVER, status: 'revoked', status_reason: 'unreachable' } }]],
  ])('stores the reason of a new status, also when it equals the one before, by %s', async (_, patch) => {
    const ada = newUser();
    await ada.put('t1');
    await ada.patch(
      't1',
      { op: 'replace', path: '/status', value: 'failed' },
      { op: 'replace', path: '/status_reason', value: 'unreachable' },
    );

    await ada.patch('t1', ...patch);

    await expect(ada.token('t1')).resolves.toMatchObject({ status: 'revoked', status_reason: 'unreachable' });
  });

  it('drops a reason that the patch only tests', async () => {
    const ada = newUser();
    await ada.put('t1');
    await ada.patch('t1', { op: 'replace', path: '/status', value: 'failed' }, { op: 'replace', path: '/status_reason', value: 'x' });

    await ada.patch('t1', { op: 'test', path: '/status_reason', value: 'x' }, { op: 'replace', path: '/status', value: 'active' });

    expect(await ada.token('t1')).not.toHaveProperty('status_reason');
  });

  it('disables the expiry with false, and restores the default when it is removed', async () => {
    const ada = newUser();
    await ada.put('t1', { provider_key: 'apn' });
    await ada.patch('t1', { op: 'replace', path: '/expiry_date', value: false });
    await expect(ada.token('t1')).resolves.toMatchObject({ expiry_date: false });

    await ada.patch('t1', { op: 'remove', path: '/expiry_date' });
    await expect(ada.token('t1')).resolves.toMatchObject({ expiry_date: expect.stringMatching(/^\d{4}-/) as string });
  });

  it('makes an expired token active only together with a later date', async () => {
    const ada = newUser();
    await ada.put('t1', { provider_key: 'apn', expiry_date: '2020-01-01' });

    await expect(ada.patch('t1', { op: 'replace', path: '/status', value: 'active' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'status cannot be active: the token has expired, change expiry_date as well',
    });
    await ada.patch('t1', { op: 'replace', path: '/expiry_date', value: tomorrow() });
    await expect(ada.token('t1')).resolves.toMatchObject({ status: 'active' });
  });

  it.each<[string, PatchOperation]>([
    ['another token', { op: 'replace', path: '/token', value: 't2' }],
    ['no token', { op: 'remove', path: '/token' }],
    ['an unknown status', { op: 'replace', path: '/status', value: 'fine' }],
    ['an expiry date of true', { op: 'replace', path: '/expiry_date', value: true }],
    ['an unknown provider', { op: 'replace', path: '/provider_key', value: 'pigeon' }],
    ['an array instead of a token', { op: 'replace', path: '', value: ['t1'] }],
    ['a path that is not there', { op: 'remove', path: '/device/model' }],
    ['too much', { op: 'replace', path: '/properties', value: 'x'.repeat(PUSH_TOKEN_DETAILS_BYTES_MAX) }],
    ['NUL', { op: 'replace', path: '/properties', value: 'a\0b' }],
  ])('refuses %s, and does not change the token', async (_, operation) => {
    const ada = newUser();
    await ada.put('t1');

    await expect(ada.patch('t1', operation)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(ada.list()).resolves.toEqual([{ token: 't1', ...NEVER, status: 'active' }]);
  });

  it('revokes an expired token for good, also if its date is moved later', async () => {
    const ada = newUser();
    await ada.put('t1', { provider_key: 'apn', expiry_date: '2020-01-01' });

    await ada.patch('t1', { op: 'replace', path: '/status', value: 'revoked' });
    await ada.patch('t1', { op: 'replace', path: '/expiry_date', value: tomorrow() });

    await expect(ada.token('t1')).resolves.toMatchObject({ status: 'revoked' });
  });

  it('changes nothing without steps, or with a step that has no effect', async () => {
    const ada = newUser();
    await ada.put('t1', { provider_key: 'apn', expiry_date: '2020-01-01' });
    const before = await ada.token('t1');

    await ada.patch('t1');
    await ada.patch('t1', { op: 'replace', path: '/provider_key', value: 'apn' });

    await expect(ada.token('t1')).resolves.toEqual(before);
  });

  it('does not find the token of another user', async () => {
    const ada = newUser();
    await ada.put('t1');

    await expect(newUser('grace', ada.context).patch('t1')).rejects.toMatchObject({
      code: 'not_found',
      message: 'User grace has no such push token',
    });
  });
});
