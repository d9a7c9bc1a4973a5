import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { keys, type VerifiedKey } from '@tidings/contracts/identity/keys';
import { contextOf } from '@tidings/testing/context-of';
import { buildWorkspace, createKey, rotateKey, type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { whileLocked } from '@tidings/testing/while-locked';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { hashApiKey, makeApiKey } from '@tidings/contracts/identity/api-key';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

function verify(key: string): Promise<VerifiedKey> {
  return call(keys.verify, systemContext(randomUUID()), { hash: hashApiKey(key) });
}

describe('an API key', () => {
  it('is verified with its workspace, account, mode and all scopes', async () => {
    const { workspace_id, account_email } = await buildWorkspace(identity);
    const { key_id, key } = await createKey(identity, contextOf(workspace_id), { mode: 'test' });

    expect(key).toMatch(/^pk_test_/);
    await expect(verify(key)).resolves.toEqual({ key_id, workspace_id, account_email, mode: 'test', scopes: ['*'] });
  });

  it('is not stored in the database', async () => {
    const { workspace_id } = await buildWorkspace(identity);
    const { key_id, key } = await createKey(identity, contextOf(workspace_id), { mode: 'production' });

    const rows = await identity.sql<{ row: string }>('select stored::text as row from identity.api_keys stored where id = $1', [key_id]);

    expect(rows).toHaveLength(1);
    expect(rows[0]!.row).not.toContain(key.slice('pk_prod_'.length));
  });

  it.each(['', 'not hexadecimal', 'ab', hashApiKey(makeApiKey('test'))])('is not found by the hash "%s"', async (hash) => {
    const verified = call(keys.verify, systemContext(randomUUID()), { hash });

    await expect(verified).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('can be chosen by the caller, once', async () => {
    const { workspace_id } = await buildWorkspace(identity);
    const key = makeApiKey('production');
    const create = () => createKey(identity, contextOf(workspace_id), { mode: 'production' }, key);

    await expect(create()).resolves.toMatchObject({ key });
    await expect(create()).rejects.toMatchObject({ code: 'conflict', message: 'This API key exists already' });
  });

  it('exists once in the installation: neither another workspace nor a rotation stores its hash again', async () => {
    const [{ key }, other] = [await buildWorkspace(identity), await buildWorkspace(identity)];
    const [context, hash] = [contextOf(other.workspace_id), hashApiKey(key)];
    const refused = { code: 'conflict', message: 'This API key exists already' };

    await expect(createKey(identity, context, { mode: 'test' }, key)).rejects.toMatchObject(refused);
    const rotation = call(keys.rotate, context, { key_id: other.key_id, production_hash: hash, test_hash: hash });
    await expect(rotation).rejects.toMatchObject(refused);

    const stored = await identity.sql('select from identity.api_keys where hash = $1', [Buffer.from(hash, 'hex')]);
    expect(stored).toHaveLength(1);
    const { results } = await call(keys.page, context, {});
    expect(results).toMatchObject([{ key_id: other.key_id, status: 'active' }]);
  });

  it('is stored by its hash alone: a text that is none is refused', async () => {
    const { workspace_id } = await buildWorkspace(identity);
    const hash = makeApiKey('test');

    await expect(call(keys.create, contextOf(workspace_id), { mode: 'test', hash })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('needs a workspace that exists', async () => {
    await expect(createKey(identity, contextOf(randomUUID()), { mode: 'test' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is published to every gateway when it is created', async () => {
    const { workspace_id } = await buildWorkspace(identity);

    const { key_id } = await createKey(identity, contextOf(workspace_id), { mode: 'test' });

    await identity.awaitAccessChanges(key_id);
  });
});

describe('a revoked key', () => {
  it('is refused, while the workspace’s other keys are not', async () => {
    const { workspace_id, key: other } = await buildWorkspace(identity);
    const { key_id, key } = await createKey(identity, contextOf(workspace_id), { mode: 'production' });

    await call(keys.revoke, contextOf(workspace_id), { key_id });

    await expect(verify(key)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(verify(other)).resolves.toMatchObject({ workspace_id });
  });

  it('is published to every gateway once, for concurrent and repeated revocations', async () => {
    const { workspace_id, key_id } = await buildWorkspace(identity);
    await identity.awaitAccessChanges(key_id);

    const row = { statement: 'select from identity.api_keys where id = $1 for update', values: [key_id], waiting: 5 };
    await whileLocked(identity.adminUrl, row, () =>
      Promise.all(Array.from({ length: 5 }, () => call(keys.revoke, contextOf(workspace_id), { key_id }))),
    );
    await call(keys.revoke, contextOf(workspace_id), { key_id });
    const { key_id: later } = await createKey(identity, contextOf(workspace_id), { mode: 'test' });

    await identity.awaitAccessChanges(later);
    await identity.awaitAccessChanges(key_id, 2); // its creation and its revocation: all events from before `later` have arrived
  });

  it('cannot be created again', async () => {
    const { workspace_id, key_id, key } = await buildWorkspace(identity);
    await call(keys.revoke, contextOf(workspace_id), { key_id });

    await expect(createKey(identity, contextOf(workspace_id), { mode: 'production' }, key)).rejects.toMatchObject({ code: 'conflict' });
    await expect(verify(key)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('must exist', async () => {
    const { workspace_id } = await buildWorkspace(identity);
    const key_id = randomUUID();

    await expect(call(keys.revoke, contextOf(workspace_id), { key_id })).rejects.toMatchObject({
      code: 'not_found',
      message: `API key ${key_id} does not exist`,
    });
  });
});

describe('inspecting a key by its id', () => {
  it('returns the verified key', async () => {
    const { workspace_id, key_id, key } = await buildWorkspace(identity);

    await expect(call(keys.inspect, contextOf(workspace_id), { key_id })).resolves.toEqual(await verify(key));
  });

  it('is refused when it was revoked', async () => {
    const { workspace_id, key_id } = await buildWorkspace(identity);
    await call(keys.revoke, contextOf(workspace_id), { key_id });

    await expect(call(keys.inspect, contextOf(workspace_id), { key_id })).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

/** A stranger with a workspace of its own: without one the call is refused earlier. */
async function inWorkspace<Result>(act: (context: ReturnType<typeof contextOf>) => Promise<Result>): Promise<Result> {
  const { workspace_id } = await buildWorkspace(identity);
  return act(contextOf(workspace_id));
}

let owned: { key_id: string; key: string };
describeWorkspaceIsolation('an API key', {
  arrange: async () => {
    owned = await buildWorkspace(identity);
  },
  read: () => verify(owned.key),
  attempts: {
    revoke: { attempt: (stranger) => call(keys.revoke, stranger, { key_id: owned.key_id }), refusedWith: 'not_found' },
    rotate: { attempt: () => inWorkspace((own) => rotateKey(identity, own, { key_id: owned.key_id })), refusedWith: 'not_found' },
    inspect: { attempt: (stranger) => call(keys.inspect, stranger, { key_id: owned.key_id }), refusedWith: 'unauthenticated' },
  },
});
