import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { DAY_MS } from '@tidings/contracts/core/duration';
import { contentSecrets } from '@tidings/contracts/content/secrets';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { ResealSecrets } from '@tidings/contracts/core/reseal';
import { eventTopics, type RepublishPage } from '@tidings/contracts/identity/event-topics';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { keys, type KeySummary, type PageKeys } from '@tidings/contracts/identity/keys';
import { limits, type WorkspaceLimits } from '@tidings/contracts/identity/limits';
import { identitySecrets } from '@tidings/contracts/identity/secrets';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { messagingEventTopics } from '@tidings/contracts/messaging/event-topics';
import { type ReplaceSenders, senders } from '@tidings/contracts/messaging/senders';
import { messagingSecrets } from '@tidings/contracts/messaging/secrets';
import type { TestGateway } from '../../testing/start-test-gateway';
import { COMMANDS } from './commands';
import { ADMIN_KEY, runAgainst, SHOP, startGatewayOfShop, W } from './run-command.fixture';

const K = randomUUID();
let gateway: TestGateway;
beforeAll(async () => void (gateway = await startGatewayOfShop()));
afterAll(() => gateway.stop());

const tidings = (args: string[], environment?: Record<string, string | undefined>): ReturnType<typeof runAgainst> =>
  runAgainst(gateway, args, environment);

it('is in the help of the executable with each of its verbs', () => {
  const help = execFileSync(process.execPath, [path.resolve(__dirname, '../../../../../bin/tidings.mjs'), '--help']).toString();

  for (const command of Object.keys(COMMANDS)) {
    const [resource, verb = ''] = command.split(' ');
    expect(help).toMatch(new RegExp(`^  ${resource} +.*${verb}`, 'm'));
  }
});

it('seals stored secrets again, step by step, and prints the counts', async () => {
  const steps = [
    { done: false, cursor: '[1]', resealed: 2, unreadable: 0 },
    { done: true, resealed: 1, unreadable: 1 },
  ];
  gateway.client.answer(identitySecrets.reseal, (_context, { cursor }: ResealSecrets) => steps[cursor === '[1]' ? 1 : 0]!);
  gateway.client.answer(messagingSecrets.reseal, () => ({ done: true, resealed: 0, unreadable: 0 }));
  gateway.client.answer(contentSecrets.reseal, () => ({ done: true, resealed: 4, unreadable: 0 }));

  const { code, out } = await tidings(['secrets', 'reseal']);

  expect([code, out.split('\n').slice(1, 4)]).toEqual([
    0,
    ['identity   3             1', 'messaging  0             0', 'content    4             0'],
  ]);
});

it('lists workspaces', async () => {
  const { code, out } = await tidings(['workspaces', 'list']);

  expect(code).toBe(0);
  expect(out.split('\n')[1]).toBe(`${W}  Shop  shop@example.com  2026-01-02T03:04:05.678Z`);
});

it('creates a workspace', async () => {
  gateway.client.answer(workspaces.create, () => SHOP);

  expect((await tidings(['workspaces', 'create', '--name', 'Shop', '--email', 'shop@example.com'])).out).toContain(W);
  expect(gateway.client.callsOf(workspaces.create).at(-1)!.request).toEqual({ name: 'Shop', account_email: 'shop@example.com' });
});

it('shows and replaces the domains from which a workspace may send', async () => {
  gateway.client.answer(senders.retrieve, () => ({ domains: null, allowed: null }));
  gateway.client.answer(senders.replace, (_context, { domains }: ReplaceSenders) => ({
    domains,
    allowed: ['example.com', ...(domains ?? [])],
  }));
  const replaced = () => gateway.client.callsOf(senders.replace).map(({ request }) => request);

  expect((await tidings(['workspaces', 'senders', 'Shop'])).out).toBe(
    "Workspace Shop may send from any domain (the installation's, TIDINGS_SENDER_DOMAINS)\n",
  );
  expect((await tidings(['workspaces', 'senders', W, '--domain', 'a.example', '--domain', 'b.example'])).out).toBe(
    `Workspace ${W} may send from example.com, a.example, b.example (its own list)\n`,
  );
  expect(await tidings(['workspaces', 'senders', 'Shop', '--reset'])).toMatchObject({ code: 0 });
  expect(await tidings(['workspaces', 'senders', 'Shop', '--reset', '--domain', 'a.example'])).toMatchObject({ code: 1 });
  expect(replaced()).toEqual([{ domains: ['a.example', 'b.example'] }, { domains: null }]);
});

it.each([W, 'Shop'])('creates a key in the workspace %s, and shows it on a line of its own', async (workspace) => {
  gateway.client.answer(keys.create, () => ({ key_id: K }));

  const { code, out } = await tidings(['keys', 'create', '--workspace', workspace, '--scope', 'read:profiles', '--scope', 'write:send']);

  expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^pk_prod_\w{43}$/)]);
  expect(gateway.client.callsOf(keys.create).at(-1)).toMatchObject({
    context: { workspaceId: W },
    request: { mode: 'production', scopes: ['read:profiles', 'write:send'] },
  });
});

it('lists all keys of a workspace, over all pages', async () => {
  const pages = 3;
  const rowOf = (page: number): KeySummary => ({
    key_id: randomUUID(),
    name: `key ${page}`,
    mode: 'production',
    scopes: ['*'],
    hint: 'wxyz',
    status: 'active',
    created_at: SHOP.created_at,
  });
  gateway.client.answer(keys.page, (_context, { cursor = '0' }: PageKeys) => {
    const more = Number(cursor) + 1 < pages;
    return { paging: { more, ...(more && { cursor: String(Number(cursor) + 1) }) }, results: [rowOf(Number(cursor))] };
  });

  const { out } = await tidings(['keys', 'list', '--workspace', 'Shop', '--json']);

  expect((JSON.parse(out) as KeySummary[]).map(({ name }) => name)).toEqual(['key 0', 'key 1', 'key 2']);
  expect((await tidings(['keys', 'list', '--workspace', 'Shop'])).out).toContain('…wxyz');
});

it('rotates and revokes keys, and the signing key', async () => {
  gateway.client.answer(keys.rotate, () => ({
    key_id: randomUUID(),
    mode: 'production',
    previous_valid_until: '2026-01-03T00:00:00.000Z',
  }));
  gateway.client.answer(keys.revoke, () => undefined);
  gateway.client.answer(issuedTokens.rotateKey, () => ({ key_id: K }));

  const rotated = await tidings(['keys', 'rotate', K, '--workspace', W, '--overlap', '2 days']);
  expect(rotated.out).toMatch(/^pk_prod_\w{43}\n/);
  expect(rotated.out).toContain('until 2026-01-03T00:00:00.000Z');
  expect(gateway.client.callsOf(keys.rotate).at(-1)!.request).toMatchObject({ key_id: K, overlap: '2 days' });

  expect(await tidings(['keys', 'revoke', K, '--workspace', W])).toMatchObject({ code: 0, out: `API key ${K} is revoked\n` });
  expect(await tidings(['signing-keys', 'rotate', '--revoke-issued'])).toMatchObject({ code: 0 });
  expect(gateway.client.callsOf(issuedTokens.rotateKey).at(-1)!.request).toEqual({ revoke_issued: true });
});

describe('limits', () => {
  const stored: WorkspaceLimits = {
    rate_limit: null,
    effective_rate_limit: '5/s',
    profiles: 10,
    lists: null,
    templates: null,
    bulk_rows: null,
    suppressions: null,
  };
  const changes = () => gateway.client.callsOf(limits.change).map(({ request }) => request);
  beforeAll(() => {
    gateway.client.answer(limits.retrieve, () => stored);
    gateway.client.answer(limits.change, (_context, request: object) => ({ ...stored, ...request }));
    gateway.client.answer(limits.changeKey, (_context, request: object) => request);
  });

  it('of a workspace are shown', async () => {
    expect((await tidings(['workspaces', 'limit', 'Shop'])).out).toBe('Workspace Shop: 5/s (the default)\n');
    const { out } = await tidings(['workspaces', 'quota', W]);
    expect(out.replaceAll(/ +/g, ' ').split('\n')).toEqual([
      'QUOTA MOST',
      'profiles 10',
      'lists none',
      'templates none',
      'bulk_rows none',
      'suppressions none',
      '',
    ]);
    expect(changes()).toEqual([]);
  });

  it('of a workspace and of a key are changed', async () => {
    for (const rate of ['10/s', 'none', 'default']) await tidings(['workspaces', 'limit', 'Shop', '--rate', rate]);
    await tidings(['workspaces', 'quota', 'Shop', '--profiles', 'none', '--bulk-rows', '500']);
    expect(changes()).toEqual([{ rate_limit: '10/s' }, { rate_limit: 'none' }, { rate_limit: null }, { profiles: null, bulk_rows: 500 }]);

    const { out } = await tidings(['keys', 'limit', K, '--workspace', 'Shop', '--rate', '10/m']);
    expect(out).toBe(`API key ${K}: 10/m\n`);
    expect((await tidings(['keys', 'limit', K, '--workspace', 'Shop', '--rate', 'none'])).out).toContain('no rate limit of its own');
    expect(gateway.client.callsOf(limits.changeKey).map(({ request }) => request.rate_limit)).toEqual(['10/m', null]);
  });

  it('that are none are refused by the gateway', async () => {
    expect(await tidings(['workspaces', 'limit', 'Shop', '--rate', 'fast'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('rate_limit') as string,
    });
    expect(await tidings(['workspaces', 'quota', 'Shop', '--lists', 'many'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('lists') as string,
    });
  });
});

it.each([
  [['keys']],
  [['keys', 'destroy']],
  [['toString', 'list']],
  [['keys', 'list']],
  [['keys', 'list', '--workspace']],
  [['keys', 'rotate', '--workspace', W]],
  [['keys', 'revoke', K, K, '--workspace', W]],
  [['workspaces', 'create', '--name', 'x', '--else', 'y']],
])('prints the usage for wrong arguments: %j', async (args) => {
  const { code, out, err } = await tidings(args);

  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('tidings keys rotate');
});

it('prints the help with --help', async () => {
  expect(await tidings(['keys', '--help'])).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('tidings keys revoke') as string,
  });
});

it.each<[string, Record<string, string | undefined>, string]>([
  ['a missing key', { TIDINGS_ADMIN_KEY: undefined }, 'export TIDINGS_ADMIN_KEY=$(openssl rand -hex 32)'],
  ['an invalid key', { TIDINGS_ADMIN_KEY: `${ADMIN_KEY}\nmore` }, 'TIDINGS_ADMIN_KEY is not 32 to 200 visible ASCII characters'],
  ['a wrong key', { TIDINGS_ADMIN_KEY: 'wrong'.repeat(10) }, 'TIDINGS_ADMIN_KEY is not the one that the gateway at'],
  ['an invalid address', { TIDINGS_URL: 'localhost:8080' }, 'TIDINGS_URL is not of the form'],
  ['an unreachable gateway', { TIDINGS_URL: 'http://127.0.0.1:9' }, 'No gateway answers at http://127.0.0.1:9'],
])('reports %s without quoting the key', async (_what, environment, words) => {
  const { code, err } = await tidings(['workspaces', 'list'], environment);

  expect(code).toBe(1);
  expect(err).toContain(words);
  expect(err).not.toContain(ADMIN_KEY);
});

it('prints the error of the gateway', async () => {
  gateway.client.answer(keys.revoke, () => {
    throw new ServiceError('not_found', `API key ${K} does not exist`);
  });

  expect(await tidings(['keys', 'revoke', K, '--workspace', W])).toEqual({ code: 1, out: '', err: `API key ${K} does not exist\n` });
  expect(await tidings(['keys', 'list', '--workspace', 'Unknown'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('"Unknown"') as string,
  });
});

it('publishes every page of the compacted topics, and says when other secrets may go', async () => {
  gateway.client.answer(eventTopics.republishProfiles, (_context, { cursor }: RepublishPage) => ({
    published: 200,
    ...(cursor === undefined && { next: 'page-2' }),
  }));
  gateway.client.answer(eventTopics.republishMemberships, () => ({ published: 7 }));
  gateway.client.answer(messagingEventTopics.republishStatuses, () => ({ published: 0 }));

  const { code, out } = await tidings(['events', 'republish', '--json']);

  const { published, others_needed_until } = JSON.parse(out) as { published: object; others_needed_until: string };
  expect(code).toBe(0);
  expect(published).toEqual({ 'tidings.profiles.v1': 400, 'tidings.memberships.v1': 7, 'tidings.message-status.v1': 0 });
  expect((Date.parse(others_needed_until) - Date.now()) / DAY_MS).toBeCloseTo(14, 1);
});

it('names no secrets where the records are not signed', async () => {
  for (const republish of [eventTopics.republishProfiles, eventTopics.republishMemberships])
    gateway.client.answer(republish, () => ({ published: 1, signed: false }));
  gateway.client.answer(messagingEventTopics.republishStatuses, () => ({ published: 0 }));

  const { out } = await tidings(['events', 'republish']);

  expect(out).toMatch(/\nThe records are in PostgreSQL, where nothing is signed and nothing waits\n$/);
  expect(out).not.toContain('secret');
  expect(JSON.parse((await tidings(['events', 'republish', '--json'])).out)).not.toHaveProperty('others_needed_until');
});

it('lets processes go past records with unknown keys', async () => {
  gateway.client.answer(eventTopics.skipUnverified, () => undefined);

  expect(await tidings(['events', 'skip-unverified', 'tidings.profiles.v1'])).toMatchObject({ code: 0 });
  expect(gateway.client.callsOf(eventTopics.skipUnverified).at(-1)!.request).toEqual({ topic: 'tidings.profiles.v1' });
});
