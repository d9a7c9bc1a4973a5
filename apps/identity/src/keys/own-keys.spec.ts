import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import { hashApiKey } from '@tidings/contracts/identity/api-key';
import { auditEvents } from '@tidings/contracts/identity/audit-events';
import { keys, type KeySummary, type MakeKey } from '@tidings/contracts/identity/keys';
import { limits } from '@tidings/contracts/identity/limits';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { buildWorkspace, createKey, rotateKey, type RunningIdentity, sharedIdentity } from '../testing/start-identity';

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await sharedIdentity();
});

const HOUR_MS = 3_600_000;
const scopes = ['write:api-keys', 'read:messages'];

async function pageOf(workspaceId: string): Promise<KeySummary[]> {
  return (await identity.call(keys.page, contextOf(workspaceId), {})).results;
}

/** A new key of a new workspace, and the context of calls with it. */
async function buildCaller(request: Partial<MakeKey> = {}): Promise<{ caller: CallContext; keyId: string; workspaceId: string }> {
  const { workspace_id: workspaceId } = await buildWorkspace(identity);
  const { key_id: keyId } = await createKey(identity, contextOf(workspaceId), { mode: 'production', name: 'Maker', ...request });
  const { mode, scopes: granted, recipients } = (await pageOf(workspaceId))[0]!;
  const caller = { ...contextOf(workspaceId), scopes: granted, mode, recipients, actor: { type: 'api-key' as const, id: keyId } };
  return { caller, keyId, workspaceId };
}

describe('a key that an API key makes', () => {
  it('has the scopes, the guest list, the expiry and the rate of its maker, unless it has less', async () => {
    const expires_at = new Date(Date.now() + HOUR_MS).toISOString();
    const recipients = ['ada', 'bob'];
    const { caller, keyId, workspaceId } = await buildCaller({ scopes, recipients, expires_at });
    await identity.call(limits.changeKey, contextOf(workspaceId), { key_id: keyId, rate_limit: '5/s' });

    await createKey(identity, caller, { mode: 'production' });
    const sooner = new Date(Date.now() + HOUR_MS / 2).toISOString();
    const less = { scopes: ['read:messages'], recipients: ['ada'], expires_at: sooner };
    await createKey(identity, caller, { mode: 'test', ...less });

    expect(await pageOf(workspaceId)).toMatchObject([
      { mode: 'test', ...less, rate_limit: '5/s' },
      { mode: 'production', scopes, recipients, expires_at, rate_limit: '5/s' },
      { key_id: keyId },
      {},
    ]);
  });

  it.each<[string, Partial<MakeKey>, Partial<MakeKey>]>([
    ['the scope write:send', { scopes }, { scopes: ['write:send'] }],
    ['the scope *', { scopes }, { scopes: ['*'] }],
    ['no limit by the scope write:send:stored', { scopes: [...scopes, 'write:send:stored'] }, { scopes: ['read:messages'] }],
    ['the mode production', { mode: 'test' }, { mode: 'production' }],
    ['the recipient "eve"', { recipients: ['ada'] }, { recipients: ['ada', 'eve'] }],
    ['a validity beyond', { expires_at: new Date(Date.now() + HOUR_MS).toISOString() }, { expires_at: '2099-01-01' }],
  ])('is refused with %s, which its maker lacks', async (what, maker, made) => {
    const { caller, workspaceId } = await buildCaller(maker);

    await expect(createKey(identity, caller, { mode: caller.mode, ...made })).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(`would have ${what}`) as string,
    });
    expect(await pageOf(workspaceId)).toHaveLength(2);
  });

  it('is recorded as made by that key, by its name and end', async () => {
    const { caller, keyId, workspaceId } = await buildCaller();
    const made = await createKey(identity, caller, { mode: 'test' });
    await identity.call(keys.revoke, caller, { key_id: made.key_id });

    const found = await identity.call(keys.page, contextOf(workspaceId), { key_id: made.key_id });
    expect(found.results).toMatchObject([{ key_id: made.key_id, status: 'revoked' }]);
    const { results } = await identity.call(auditEvents.list, contextOf(workspaceId), {});
    const [, maker] = await pageOf(workspaceId);
    const actor = { type: 'api-key', id: keyId, name: 'Maker', hint: maker!.hint };
    expect(results.slice(0, 2)).toMatchObject([
      { type: 'api-key:revoked', actor, target: { id: made.key_id } },
      { type: 'api-key:created', actor, target: { id: made.key_id } },
    ]);
  });
});

describe('a key that may do more than the caller', () => {
  it('is not rotated by it, but revoked', async () => {
    const { caller, workspaceId } = await buildCaller({ scopes });
    const [, wider] = await pageOf(workspaceId);

    await expect(rotateKey(identity, caller, { key_id: wider!.key_id })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(rotateKey(identity, caller, { key_id: caller.actor!.id })).resolves.toHaveProperty('key');
    await identity.call(keys.revoke, caller, { key_id: wider!.key_id });

    const statuses = (await pageOf(workspaceId)).map(({ status }) => status);
    expect(statuses).toEqual(['active', 'ending', 'revoked']);
  });

  it('is not rotated by one with a lower rate', async () => {
    const { caller, keyId, workspaceId } = await buildCaller();
    const [, other] = await pageOf(workspaceId);
    const limit = (key_id: string, rate_limit: string): Promise<unknown> =>
      identity.call(limits.changeKey, contextOf(workspaceId), { key_id, rate_limit });
    const rotated = (): Promise<unknown> => rotateKey(identity, caller, { key_id: other!.key_id });
    const refused = { code: 'forbidden', message: expect.stringContaining('a rate beyond 5/s') as string };

    await limit(keyId, '5/s');
    await expect(rotated()).rejects.toMatchObject(refused);
    await limit(other!.key_id, '301/m');
    await expect(rotated()).rejects.toMatchObject(refused);
    await limit(other!.key_id, '300/m');
    await rotated();
    expect((await pageOf(workspaceId))[0]).toMatchObject({ rate_limit: '300/m' });
  });
});

describe('the last use of a key', () => {
  it('is noted behind its lookup, to the minute', async () => {
    const { workspace_id: workspaceId, key } = await buildWorkspace(identity);
    const verify = () => identity.call(keys.verify, systemContext(randomUUID()), { hash: hashApiKey(key) });
    expect((await pageOf(workspaceId))[0]).not.toHaveProperty('last_used_at');

    await verify();
    const used = async (): Promise<string | undefined> => (await pageOf(workspaceId))[0]!.last_used_at;
    const first = await waitUntil(used, { what: 'the use' });
    expect(Math.abs(Date.parse(first) - Date.now())).toBeLessThan(60_000);

    const old = '2026-01-01T00:00:00.000Z';
    await identity.sql('update identity.api_keys set used_at = $2 where workspace_id = $1', [workspaceId, old]);
    await verify();
    await waitUntil(async () => (await used()) !== old, { what: 'the next use' });
  });
});
