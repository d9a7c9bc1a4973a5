import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { keys } from '@tidings/contracts/identity/keys';
import { type PageWorkspaces, workspaces } from '@tidings/contracts/identity/workspaces';
import { hashApiKey, makeApiKey } from '@tidings/contracts/identity/api-key';
import { contextOf } from '@tidings/testing/context-of';
import { createKey, ensureWorkspace, type KeyedWorkspace, type RunningIdentity, sharedIdentity } from '../testing/start-identity';

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await sharedIdentity();
});

function request(overrides: Partial<KeyedWorkspace> = {}): KeyedWorkspace {
  return {
    name: `workspace ${randomUUID()}`,
    account_email: 'ops@example.com',
    key: makeApiKey('production'),
    mode: 'production',
    ...overrides,
  };
}

const ensure = (workspace: KeyedWorkspace) => ensureWorkspace(identity, workspace);
const verify = (key: string) => identity.call(keys.verify, systemContext(randomUUID()), { hash: hashApiKey(key) });

describe('the first workspace', () => {
  it('is created once by ten concurrent replicas, and its key opens it', async () => {
    const workspace = request();

    const answers = await Promise.all(Array.from({ length: 10 }, () => ensure(workspace)));

    const { workspace_id, key_id } = answers[0]!;
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(answers.map((answer) => `${answer.workspace_id} ${answer.key_id}`))).toEqual(new Set([`${workspace_id} ${key_id}`]));
    await expect(verify(workspace.key)).resolves.toEqual({
      key_id,
      workspace_id,
      account_email: 'ops@example.com',
      mode: 'production',
      scopes: ['*'],
    });
  });

  it('is the same for ten concurrent replicas with different keys', async () => {
    const workspace = request();
    const theirKeys = Array.from({ length: 10 }, () => makeApiKey('production'));

    const answers = await Promise.all(theirKeys.map((key) => ensure({ ...workspace, key })));

    const verified = await Promise.all(theirKeys.map(verify));
    expect(new Set(verified.map(({ workspace_id }) => workspace_id))).toEqual(new Set([answers[0]!.workspace_id]));
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
  });

  it('retains its keys when a later start has another', async () => {
    const first = request();
    const { workspace_id } = await ensure(first);
    const second = { ...first, key: makeApiKey('production') };

    await expect(ensure(second)).resolves.toMatchObject({ workspace_id, created: false });

    await expect(verify(first.key)).resolves.toMatchObject({ workspace_id });
    await expect(verify(second.key)).resolves.toMatchObject({ workspace_id });
  });

  it('gets the account address of a later start, and every gateway is notified', async () => {
    const first = request();
    const { key_id } = await ensure(first);
    await identity.awaitAccessChanges(key_id);

    await ensure({ ...first, account_email: 'new@example.com' });

    await expect(verify(first.key)).resolves.toMatchObject({ account_email: 'new@example.com' });
    await identity.awaitAccessChanges(key_id, 2);
  });
});

describe('a second workspace', () => {
  it('is created under another name', async () => {
    const [one, two] = [request(), request({ account_email: 'two@example.com', mode: 'test', key: makeApiKey('test') })];

    const answers = [await ensure(one), await ensure(two)];

    expect(answers).toMatchObject([{ created: true }, { created: true }]);
    await expect(verify(two.key)).resolves.toMatchObject({
      workspace_id: answers[1]!.workspace_id,
      account_email: 'two@example.com',
      mode: 'test',
    });
  });

  it('is refused with the key of another one', async () => {
    const { key } = request();
    await ensure(request({ key }));
    const thief = request({ key });

    await expect(ensure(thief)).rejects.toMatchObject({ code: 'conflict', message: 'The API key belongs to another workspace' });
    await expect(ensure({ ...thief, key: makeApiKey('production') })).resolves.toMatchObject({ created: true });
  });
});

describe('a key at a later start', () => {
  it('stays revoked once it was revoked', async () => {
    const workspace = request();
    const { workspace_id, key_id } = await ensure(workspace);
    await identity.call(keys.revoke, contextOf(workspace_id), { key_id });

    await expect(ensure(workspace)).rejects.toMatchObject({ code: 'conflict', message: 'The API key was revoked' });
    await expect(verify(workspace.key)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('is refused with another mode', async () => {
    const workspace = request();
    await ensure(workspace);

    await expect(ensure({ ...workspace, mode: 'test' })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a workspace that an operator makes', () => {
  const create = (name: string) =>
    identity.call(workspaces.create, systemContext(randomUUID()), { name, account_email: 'ops@example.com' });
  const page = (query: PageWorkspaces = {}) => identity.call(workspaces.page, systemContext(randomUUID()), query);

  it('is listed, and its first key opens it', async () => {
    const name = `made ${randomUUID()}`;

    const made = await create(name);

    expect(made).toEqual({
      workspace_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      name,
      account_email: 'ops@example.com',
      created_at: expect.stringMatching(/Z$/) as string,
    });
    await expect(page({ name })).resolves.toEqual({ paging: { more: false }, results: [made] });
    const { key } = await createKey(identity, contextOf(made.workspace_id), { mode: 'production' });
    await expect(verify(key)).resolves.toMatchObject({ workspace_id: made.workspace_id, account_email: 'ops@example.com' });
  });

  it('has a unique name, also for concurrent requests', async () => {
    const name = `twice ${randomUUID()}`;

    const outcomes = await Promise.allSettled([create(name), create(name), create(name)]);

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(create(name)).rejects.toMatchObject({ code: 'conflict', message: `There is a workspace named ${name} already` });
  });

  it('is created once by a command that is delivered twice', async () => {
    const request = { name: `delivered ${randomUUID()}`, account_email: 'ops@example.com' };
    const redelivered = identity.redelivered();
    const deliver = () => redelivered(workspaces.create, systemContext(randomUUID()), request);

    const first = await deliver();

    await expect(deliver()).resolves.toEqual(first);
  });

  it('is listed newest first, page by page, while others are created', async () => {
    const made = [];
    for (const name of ['a', 'b', 'c']) made.push((await create(`${name} ${randomUUID()}`)).workspace_id);

    const first = await page({ limit: 2 });
    const late = await create(`late ${randomUUID()}`);
    const seen = first.results.map(({ workspace_id }) => workspace_id);
    for (let cursor = first.paging.cursor; cursor !== undefined;) {
      const next = await page({ limit: 2, cursor });
      seen.push(...next.results.map(({ workspace_id }) => workspace_id));
      cursor = next.paging.cursor;
    }

    expect(seen.slice(0, 3)).toEqual(made.reverse());
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).not.toContain(late.workspace_id);
  });

  it.each(['a\0b', 'half \ud800', 'two\nlines', 'red \u001b[31m', 'next\u2028line'])('cannot be called %j', async (name) => {
    await expect(create(name)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
