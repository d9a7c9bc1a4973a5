import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { keys, KEYS_PER_WORKSPACE_MAX, type KeySummary, type VerifiedKey } from '@tidings/contracts/identity/keys';
import { contextOf } from '@tidings/testing/context-of';
import { buildWorkspace, createKey, rotateKey, type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { hashApiKey } from '@tidings/contracts/identity/api-key';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

function verify(key: string): Promise<VerifiedKey> {
  return call(keys.verify, systemContext(randomUUID()), { hash: hashApiKey(key) });
}

async function pageOf(workspaceId: string): Promise<KeySummary[]> {
  return (await call(keys.page, contextOf(workspaceId), {})).results;
}

describe('a key that was rotated', () => {
  it('stays valid beside the new one, which has its name, mode and scopes, until the overlap ends', async () => {
    const { workspace_id } = await buildWorkspace(identity);
    const scopes = ['read:profiles', 'write:profiles'];
    const old = await createKey(identity, contextOf(workspace_id), { mode: 'test', name: 'Shop', scopes });

    const next = await rotateKey(identity, contextOf(workspace_id), { key_id: old.key_id, overlap: '1 hour' });

    const until = Date.parse(next.previous_valid_until);
    expect(Math.abs(until - Date.now() - 3_600_000)).toBeLessThan(60_000);
    await expect(verify(old.key)).resolves.toMatchObject({ key_id: old.key_id, valid_until: until });
    await expect(verify(next.key)).resolves.toEqual(expect.objectContaining({ key_id: next.key_id, mode: 'test', scopes }));
    await expect(verify(next.key)).resolves.not.toHaveProperty('valid_until');
    const [first, second] = await pageOf(workspace_id);
    expect([first, second]).toMatchObject([
      { key_id: next.key_id, name: 'Shop', status: 'active' },
      { key_id: old.key_id, name: 'Shop', status: 'ending', valid_until: next.previous_valid_until },
    ]);
    await identity.awaitAccessChanges(old.key_id, 2); // made, rotated

    await identity.sql('update identity.api_keys set valid_until = now() where id = $1', [old.key_id]);
    await expect(verify(old.key)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await pageOf(workspace_id)).toMatchObject([{ status: 'active' }, { status: 'revoked' }, {}]);
  });

  it('may end at once', async () => {
    const { workspace_id, key_id, key } = await buildWorkspace(identity);

    await rotateKey(identity, contextOf(workspace_id), { key_id, overlap: '0s' });

    await expect(verify(key)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('is rotated once by concurrent requests', async () => {
    const { workspace_id, key_id } = await buildWorkspace(identity);
    const rotate = () => rotateKey(identity, contextOf(workspace_id), { key_id });

    const outcomes = await Promise.allSettled([rotate(), rotate(), rotate()]);

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(rotate()).rejects.toMatchObject({ code: 'conflict', message: `API key ${key_id} was rotated already` });
    expect(await pageOf(workspace_id)).toHaveLength(2);
  });

  it('is refused when it was revoked, or with an invalid overlap', async () => {
    const { workspace_id, key_id } = await buildWorkspace(identity);
    await expect(rotateKey(identity, contextOf(workspace_id), { key_id, overlap: '31 days' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('overlap must be between 0s and 30 days') as string,
    });
    await call(keys.revoke, contextOf(workspace_id), { key_id });

    await expect(rotateKey(identity, contextOf(workspace_id), { key_id })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('the keys of a workspace', () => {
  it('are listed newest first, page by page, without keys and hashes', async () => {
    const { workspace_id, key_id: first } = await buildWorkspace(identity);
    const made = [];
    for (const name of ['a', 'b', 'c', 'd']) made.push(await createKey(identity, contextOf(workspace_id), { mode: 'production', name }));

    const seen: KeySummary[] = [];
    let cursor: string | undefined;
    do {
      const page = await call(keys.page, contextOf(workspace_id), { limit: 2, cursor });
      expect(page.results.length).toBeLessThanOrEqual(2);
      seen.push(...page.results);
      cursor = page.paging.cursor;
    } while (cursor !== undefined);

    expect(seen.map(({ key_id }) => key_id)).toEqual([...made.map(({ key_id }) => key_id).reverse(), first]);
    const [last] = made.slice(-1);
    expect(seen[0]).toEqual({
      key_id: last!.key_id,
      name: 'd',
      mode: 'production',
      scopes: ['*'],
      hint: last!.key.slice(-4),
      status: 'active',
      created_at: expect.stringMatching(/Z$/) as string,
    });
    for (const { key } of made) expect(JSON.stringify(seen)).not.toContain(key);
    for (const { key } of made) expect(JSON.stringify(seen)).not.toContain(hashApiKey(key));
  });

  it('are not found for an unknown workspace', async () => {
    await expect(call(keys.page, contextOf(randomUUID()), {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('can be restricted to existing scopes', async () => {
    const { workspace_id } = await buildWorkspace(identity);
    const create = (scopes: string[]) => createKey(identity, contextOf(workspace_id), { mode: 'production', scopes });

    const { key } = await create(['read:profiles', 'read:profiles', 'read:brands:one']);
    await expect(verify(key)).resolves.toMatchObject({ scopes: ['read:profiles', 'read:brands:one'] });
    await expect(create(['read:everything'])).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(create(['user_id:ada'])).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(create([])).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('can have a guest list and an expiry, which a rotated key keeps', async () => {
    const { workspace_id } = await buildWorkspace(identity);
    const context = contextOf(workspace_id);
    const create = (limits: object) => createKey(identity, context, { mode: 'production', ...limits });
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const recipients = ['ada', 'ada@example.com'];

    const made = await create({ recipients: [...recipients, 'ada'], expires_at });

    const verified = { recipients, valid_until: Date.parse(expires_at) };
    await expect(verify(made.key)).resolves.toMatchObject(verified);
    expect((await pageOf(workspace_id))[0]).toMatchObject({ recipients, expires_at, status: 'active' });
    const next = await rotateKey(identity, context, { key_id: made.key_id });
    await expect(verify(next.key)).resolves.toMatchObject(verified);
    await expect(verify(made.key)).resolves.toMatchObject(verified); // its overlap of 24 hours ends later

    await identity.sql('update identity.api_keys set expires_at = now() where workspace_id = $1', [workspace_id]);
    for (const { key } of [made, next]) await expect(verify(key)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await pageOf(workspace_id)).toMatchObject([{ status: 'expired' }, { status: 'expired' }, {}]);
    await expect(rotateKey(identity, context, { key_id: next.key_id })).rejects.toMatchObject({
      message: expect.stringContaining('has expired') as string,
    });

    for (const limits of [{ recipients: [] }, { recipients: [''] }, { expires_at: 'soon' }, { expires_at: '2020-01-01' }]) {
      await expect(create(limits)).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });

  it('are bounded; revoked keys do not count', async () => {
    const { workspace_id, key_id } = await buildWorkspace(identity);
    await identity.sql(
      `insert into identity.api_keys (id, workspace_id, hash, mode, scopes)
       select gen_random_uuid(), $1::uuid, sha256(convert_to($1::uuid::text || n, 'UTF8')), 'test', '{*}' from generate_series(2, $2::int) n`,
      [workspace_id, KEYS_PER_WORKSPACE_MAX],
    );
    const create = () => createKey(identity, contextOf(workspace_id), { mode: 'test' });

    await expect(create()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('revoke one first') as string });
    await call(keys.revoke, contextOf(workspace_id), { key_id });

    await expect(create()).resolves.toHaveProperty('key_id');
    await expect(create()).rejects.toMatchObject({ code: 'conflict' });
  });
});
