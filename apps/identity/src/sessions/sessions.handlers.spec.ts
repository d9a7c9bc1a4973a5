import { randomBytes, randomUUID } from 'node:crypto';
import { type CallContext, SYSTEM_WORKSPACE_ID, systemContext } from '@tidings/contracts/core/context';
import { auditEvents } from '@tidings/contracts/identity/audit-events';
import { keys } from '@tidings/contracts/identity/keys';
import { type PersonRole, sessions, type StartSession, type VerifiedSession } from '@tidings/contracts/identity/sessions';
import type { EnsuredWorkspace } from '@tidings/contracts/identity/workspaces';
import { scopesOfRole } from '@tidings/contracts/roles';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { buildWorkspace, createKey, type RunningIdentity, sharedIdentity } from '../testing/start-identity';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

const system = (): CallContext => systemContext(randomUUID());
const newHash = (): string => randomBytes(32).toString('hex');
const verify = (hash: string): Promise<VerifiedSession> => call(sessions.verify, system(), { hash });

/** Starts a session; resolves with its hash. */
async function start(request: Omit<StartSession, 'hash'>, context = system()): Promise<string> {
  const hash = newHash();
  await call(sessions.start, context, { hash, ...request });
  return hash;
}

/** A key with a name in a new workspace. */
async function newKey(): Promise<{ context: CallContext; workspace_id: string; name: string; key_id: string; key: string }> {
  const { workspace_id, name } = await buildWorkspace(identity);
  const context = contextOf(workspace_id);
  const scopes = ['read:messages', 'read:lists'];
  const created = await createKey(identity, context, { mode: 'test', name: 'Shop', scopes, recipients: ['ada'] });
  return { context, workspace_id, name, ...created };
}

/** Moves the times of a session into the past. */
const age = (hash: string, column: 'used_at' | 'ends_at', by: string): Promise<object[]> =>
  identity.sql(`update identity.sessions set ${column} = ${column} - $2::interval where hash = decode($1, 'hex') returning id`, [hash, by]);
const storedOf = async (hash: string): Promise<{ used_at: Date; ends_at: Date; created_at: Date } | undefined> =>
  (
    await identity.sql<{ used_at: Date; ends_at: Date; created_at: Date }>(
      `select used_at, ends_at, created_at from identity.sessions where hash = decode($1, 'hex')`,
      [hash],
    )
  )[0];
const ENDED = { code: 'unauthenticated', message: 'The session has ended' };

describe('a session of an API key', () => {
  it('has what the key has, and its end', async () => {
    const { context, workspace_id, name, key_id, key } = await newKey();
    const before = Date.now();

    const hash = await start({ key_id }, context);

    const { account_email, valid_until, ...found } = await verify(hash);
    expect(found).toEqual({
      key_id,
      workspace_id,
      mode: 'test',
      scopes: ['read:messages', 'read:lists'],
      recipients: ['ada'],
      workspace_name: name,
      key_name: 'Shop',
      key_hint: key.slice(-4),
    });
    expect(account_email).toContain('@example.com');
    expect(Math.abs(valid_until! - before - 12 * 3_600_000)).toBeLessThan(60_000);
  });

  it('ends after 12 hours without a use, and after 7 days with any', async () => {
    const { context, key_id } = await newKey();
    const [idle, old] = [await start({ key_id }, context), await start({ key_id }, context)];

    await age(idle, 'used_at', '11 hours 59 minutes');
    await age(old, 'ends_at', '6 days 23 hours');
    const [, { valid_until }] = [await verify(idle), await verify(old)];
    expect(valid_until! - Date.now()).toBeLessThan(3_600_001);

    await age(idle, 'used_at', '12 hours');
    await age(old, 'ends_at', '1 hour');
    await expect(verify(idle)).rejects.toMatchObject(ENDED);
    await expect(verify(old)).rejects.toMatchObject(ENDED);
  });

  it('is not used by the background', async () => {
    const { context, key_id } = await newKey();
    const hash = await start({ key_id }, context);
    await age(hash, 'used_at', '11 hours');
    const { used_at } = (await storedOf(hash))!;

    const { valid_until } = await call(sessions.verify, system(), { hash, background: true });

    expect((await storedOf(hash))!.used_at).toEqual(used_at);
    expect(Math.abs(valid_until! - used_at.getTime() - 12 * 3_600_000)).toBeLessThan(1_000);
  });

  it('writes its use once a minute', async () => {
    const { context, key_id } = await newKey();
    const hash = await start({ key_id }, context);
    const { used_at: started } = (await storedOf(hash))!;
    await verify(hash);
    expect((await storedOf(hash))!.used_at).toEqual(started);

    await age(hash, 'used_at', '2 minutes');
    await verify(hash);

    expect((await storedOf(hash))!.used_at.getTime()).toBeGreaterThanOrEqual(started.getTime());
  });

  it.each([
    ['revoked', (context: CallContext, key_id: string) => call(keys.revoke, context, { key_id })],
    [
      'expired',
      (_context: CallContext, id: string) =>
        identity.sql('update identity.api_keys set expires_at = now() where id = $1 returning id', [id]),
    ],
  ])('ends when its key is %s', async (_what, end) => {
    const { context, key_id } = await newKey();
    const hash = await start({ key_id }, context);

    await end(context, key_id);

    await expect(verify(hash)).rejects.toMatchObject(ENDED);
    await expect(start({ key_id }, context)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('ends with the sign-out, whose event makes gateways forget it; a second one changes nothing', async () => {
    const { context, key_id } = await newKey();
    const [hash, other] = [await start({ key_id }, context), await start({ key_id }, context)];
    await identity.awaitAccessChanges(key_id); // its creation

    for (const _ of [1, 2]) await call(sessions.end, system(), { hash });

    await identity.awaitAccessChanges(key_id, 2);
    await expect(verify(hash)).rejects.toMatchObject(ENDED);
    await expect(verify(other)).resolves.toMatchObject({ key_id });
  });

  it('ends the earlier one of the same browser, unless it is refused', async () => {
    const { context, key_id } = await newKey();
    const earlier = await start({ key_id }, context);

    await expect(start({ key_id: randomUUID(), previous_hash: earlier }, context)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(verify(earlier)).resolves.toMatchObject({ key_id });
    await start({ key_id, previous_hash: earlier }, context);

    await expect(verify(earlier)).rejects.toMatchObject(ENDED);
  });

  it('is started once by a command that is delivered twice', async () => {
    const { context, key_id } = await newKey();
    const redelivered = identity.redelivered();
    const hash = newHash();

    for (const _ of [1, 2]) await redelivered(sessions.start, context, { hash, key_id });

    await expect(verify(hash)).resolves.toMatchObject({ key_id });
  });

  it('is audited, with the name of its key', async () => {
    const { context, key_id } = await newKey();
    const hash = await start({ key_id }, context);
    await call(sessions.end, system(), { hash });

    const { results } = await call(auditEvents.list, context, {});

    const of = { actor: expect.objectContaining({ type: 'api-key', name: 'Shop' }) as object, target: { id: key_id } };
    expect(results.slice(0, 2)).toMatchObject([
      { type: 'session:ended', operation: 'identity.sessions.end', ...of },
      { type: 'session:started', operation: 'identity.sessions.start', ...of },
    ]);
  });

  it.each(['', 'not hexadecimal', 'ab', newHash()])('is not found by the hash "%s"', async (hash) => {
    await expect(verify(hash)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('a code', () => {
  const addCode = async (): Promise<{ code_hash: string; key_id: string; context: CallContext }> => {
    const { context, key_id } = await newKey();
    const code_hash = newHash();
    await call(sessions.addCode, context, { hash: code_hash, key_id });
    return { code_hash, key_id, context };
  };
  const REFUSED = { code: 'unauthenticated', message: expect.stringContaining('The code is unknown, was used or has expired') as string };

  it('opens one session of its key, also for concurrent requests', async () => {
    const { code_hash, key_id } = await addCode();

    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => start({ code_hash })));

    const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(started).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(REFUSED);
    await expect(verify(started[0]!)).resolves.toMatchObject({ key_id });
  });

  it('opens none after an hour, and none of a revoked key', async () => {
    const [late, revoked] = [await addCode(), await addCode()];
    const past = `update identity.session_codes set ends_at = ends_at - interval '1 hour' where hash = decode($1, 'hex') returning hash`;
    await identity.sql(past, [late.code_hash]);
    await call(keys.revoke, revoked.context, { key_id: revoked.key_id });

    await expect(start({ code_hash: late.code_hash })).rejects.toMatchObject(REFUSED);
    await expect(start({ code_hash: revoked.code_hash })).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(start({ code_hash: newHash() })).rejects.toMatchObject(REFUSED);
  });
});

describe('a session of an operator', () => {
  const OPERATOR = { name: 'alice', proof: newHash() };

  it('has a role, and neither a workspace nor scopes', async () => {
    const hash = await start({ operator: OPERATOR });

    const { key_id, valid_until, ...found } = await verify(hash);
    expect(found).toEqual({
      workspace_id: SYSTEM_WORKSPACE_ID,
      account_email: '',
      mode: 'production',
      scopes: [],
      role: 'operator',
      operator: OPERATOR,
    });
    expect(Math.abs(valid_until! - Date.now() - 3_600_000)).toBeLessThan(60_000);
    await call(sessions.end, system(), { hash });
    await identity.awaitAccessChanges(key_id);
  });

  it('ends after an hour without a use', async () => {
    const hash = await start({ operator: OPERATOR });
    await age(hash, 'used_at', '59 minutes');
    await verify(hash);

    await age(hash, 'used_at', '1 hour');

    await expect(verify(hash)).rejects.toMatchObject(ENDED);
  });
});

describe('a session of a person', () => {
  const ADA = { id: 'u-1', name: 'Ada Lovelace' };
  const startOf = (workspace: string, role: PersonRole): Promise<string> => start({ person: { ...ADA, role, workspace } });

  it.each([
    ['viewer', 12],
    ['support', 12],
    ['editor', 12],
    ['admin', 1],
  ] as const)('has the scopes of its role in the workspace, and no key: %s, for %d h without a use', async (role, hours) => {
    const { workspace_id, name } = await buildWorkspace(identity);

    const { key_id: _id, account_email: _email, valid_until, ...found } = await verify(await startOf(name, role));

    expect(found).toEqual({ workspace_id, workspace_name: name, mode: 'production', scopes: scopesOfRole(role), role, person: ADA });
    expect(Math.abs(valid_until! - Date.now() - hours * 3_600_000)).toBeLessThan(60_000);
  });

  it('ends with the sign-out; both are audited with the name', async () => {
    const { workspace_id, name } = await buildWorkspace(identity);
    const hash = await startOf(name, 'editor');
    const { key_id } = await verify(hash);

    await call(sessions.end, system(), { hash });

    await expect(verify(hash)).rejects.toMatchObject(ENDED);
    await identity.awaitAccessChanges(key_id);
    const { results } = await call(auditEvents.list, contextOf(workspace_id), {});
    const of = { actor: { ...ADA, type: 'person' }, target: { id: ADA.id } };
    expect(results.slice(0, 2)).toMatchObject([
      { ...of, type: 'session:ended' },
      { ...of, type: 'session:started' },
    ]);
  });

  it('needs a workspace that exists', async () => {
    await expect(startOf(`none-${randomUUID()}`, 'viewer')).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('removes ended sessions and codes when another one starts', async () => {
  const { context, key_id } = await newKey();
  const [ended, code] = [await start({ key_id }, context), newHash()];
  await call(sessions.addCode, context, { hash: code, key_id });
  await age(ended, 'ends_at', '8 days');
  await identity.sql(
    `update identity.session_codes set ends_at = now() - interval '1 second' where hash = decode($1, 'hex') returning hash`,
    [code],
  );
  const now = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now + 3_600_000);
  try {
    await start({ key_id }, { ...context, callId: randomUUID() });
  } finally {
    clock.mockRestore();
  }

  await waitUntil(async () => (await storedOf(ended)) === undefined, { what: 'the removal' });
  await waitUntil(
    async () => (await identity.sql(`select hash from identity.session_codes where hash = decode($1, 'hex')`, [code])).length === 0,
    { what: 'the removal of the code' },
  );
});

describe('whoami', () => {
  it('names the workspace, and what the credential may do', async () => {
    const { workspace_id, name } = await buildWorkspace(identity);
    const context = { ...contextOf(workspace_id), scopes: ['read:lists'], mode: 'test' as const };

    await expect(call(sessions.whoami, context, {})).resolves.toEqual({
      workspace: { id: workspace_id, name },
      mode: 'test',
      scopes: ['read:lists'],
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    });
  });
});

let owned: EnsuredWorkspace;
describeWorkspaceIsolation('an API key that signs in', {
  arrange: async () => {
    owned = await buildWorkspace(identity);
  },
  read: async () => (await start({ key_id: owned.key_id }, contextOf(owned.workspace_id))) !== '',
  attempts: {
    starting: { attempt: (stranger) => start({ key_id: owned.key_id }, stranger), refusedWith: 'unauthenticated' },
    'making a code': {
      attempt: (stranger) => call(sessions.addCode, stranger, { hash: newHash(), key_id: owned.key_id }),
      refusedWith: 'not_found',
    },
  },
});
