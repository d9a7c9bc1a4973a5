import { randomUUID } from 'node:crypto';
import { DAY_MS } from '@tidings/contracts/core/duration';
import { audienceErasure } from '@tidings/contracts/audience/erasure';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { ResealSecrets } from '@tidings/contracts/core/reseal';
import { identityErasure } from '@tidings/contracts/identity/erasure';
import { eventTopics, type RepublishPage } from '@tidings/contracts/identity/event-topics';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { keys, type KeySummary, type PageKeys } from '@tidings/contracts/identity/keys';
import { limits, type WorkspaceLimits } from '@tidings/contracts/identity/limits';
import { identitySecrets } from '@tidings/contracts/identity/secrets';
import { type PageWorkspaces, type Workspace, workspaces } from '@tidings/contracts/identity/workspaces';
import {
  type EraseFromLog,
  type EraseMessages,
  erasureTraces,
  type FindCopies,
  messagingErasure,
} from '@tidings/contracts/messaging/erasure';
import { messagingEventTopics } from '@tidings/contracts/messaging/event-topics';
import { type ReplaceSenders, senders } from '@tidings/contracts/messaging/senders';
import { messagingSecrets } from '@tidings/contracts/messaging/secrets';
import { startTestGateway, type TestGateway } from '../../testing/start-test-gateway';
import { runCommand } from './run-command';

const ADMIN_KEY = 'an-operators-key-of-32-characters-or-more';
const W = randomUUID();
const K = randomUUID();
const SHOP: Workspace = { workspace_id: W, name: 'Shop', account_email: 'shop@example.com', created_at: '2026-01-02T03:04:05.678Z' };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ adminKey: ADMIN_KEY });
  gateway.client.answer(workspaces.page, (_context, { name }: PageWorkspaces) => ({
    paging: { more: false },
    results: name === undefined || name === SHOP.name ? [SHOP] : [],
  }));
});
beforeEach(() => answerTraces());
afterAll(() => gateway.stop());

async function tidings(
  args: string[],
  environment: Record<string, string | undefined> = {},
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await runCommand(args, {
    environment: { TIDINGS_URL: gateway.url, TIDINGS_ADMIN_KEY: ADMIN_KEY, ...environment },
    out: (text) => (out += text),
    err: (text) => (err += text),
  });
  return { code, out, err };
}

it('seals stored secrets again, step by step, and prints the counts', async () => {
  const steps = [
    { done: false, cursor: '[1]', resealed: 2, unreadable: 0 },
    { done: true, resealed: 1, unreadable: 1 },
  ];
  gateway.client.answer(identitySecrets.reseal, (_context, { cursor }: ResealSecrets) => steps[cursor === '[1]' ? 1 : 0]!);
  gateway.client.answer(messagingSecrets.reseal, () => ({ done: true, resealed: 0, unreadable: 0 }));

  const { code, out } = await tidings(['secrets', 'reseal']);

  expect([code, out.split('\n').slice(1, 3)]).toEqual([0, ['identity   3             1', 'messaging  0             0']]);
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

/** The answers about the log, the mailbox, copies and what remains: two steps each of the log and of the search. */
function answerTraces(): void {
  const [profiles, dead] = [
    { what: 'topic tidings.profiles.v1', count: 1, until: '2026-01-03T00:00:00.000Z' },
    { what: 'topic tidings.dead.v1', reason: 'the topic retains its records' },
  ];
  const { client } = gateway;
  client.answer(identityErasure.addresses, () => ({ addresses: ['ada@example.com'] }));
  client.answer(erasureTraces.log, (_context, { after }: EraseFromLog) =>
    after === undefined
      ? { done: false, removed: { records: 2 }, remaining: [profiles], next: '1' }
      : { done: true, removed: { records: 3 }, remaining: [dead] },
  );
  client.answer(erasureTraces.mailbox, () => ({ done: true, removed: { mails: 2 } }));
  client.answer(erasureTraces.copies, (_context, { after }: FindCopies) =>
    after === undefined ? { message_ids: ['1-copied'], next: '1' } : { message_ids: ['2-copied'] },
  );
  const answers = { what: 'answers under Idempotency-Keys', count: 3, until: '2026-01-04T00:00:00.000Z' };
  client.answer(identityErasure.remaining, () => ({ remaining: [] }));
  client.answer(audienceErasure.remaining, () => ({ remaining: [] }));
  client.answer(erasureTraces.remaining, () => ({ remaining: [answers] }));
}

it.each([W, 'Shop'])('erases a user of the workspace %s, step by step until all is removed, and prints the counts', async (workspace) => {
  const preferences = [1, 0];
  gateway.client.answer(identityErasure.erase, () => ({ done: true, removed: { recipient_preferences: preferences.shift()! } }));
  const done = [false, true];
  gateway.client.answer(audienceErasure.erase, () => ({ done: done.shift()!, removed: { subscriptions: done.length } }));
  const steps = [50, 7, 0];
  gateway.client.answer(messagingErasure.erase, () => ({
    done: steps.length === 1,
    removed: { messages: steps.shift()! },
    accepted_up_to: 0,
  }));

  const { code, out } = await tidings(['erase', workspace, 'ada']);

  expect(code).toBe(0);
  expect(out.replaceAll(/ +/g, ' ').split('\n')).toEqual([
    'WHERE WHAT COUNT',
    'identity recipient_preferences 1',
    'audience subscriptions 1',
    'messaging messages 57',
    'log records 5',
    'mailbox mails 2',
    '',
    'WHERE WHAT REMAINS COUNT UNTIL',
    'log topic tidings.profiles.v1 1 2026-01-03T00:00:00.000Z',
    'log topic tidings.dead.v1 the topic retains its records',
    'messaging answers under Idempotency-Keys 3 2026-01-04T00:00:00.000Z',
    'outside backups of PostgreSQL and of the data directory until you remove them',
    'outside copies of your own consumers, mails that were sent not known to Tidings',
    '',
    'Messages to others that went to ada@example.com as a copy, 2; they are not changed:',
    '1-copied',
    '2-copied',
    '',
    'The stored data of user ada is removed, except what remains',
    '',
  ]);
  expect(gateway.client.callsOf(erasureTraces.mailbox).at(-1)!.request).toEqual({ addresses: ['ada@example.com'] });
  expect(gateway.client.callsOf(messagingErasure.erase).at(-1)).toMatchObject({
    context: { workspaceId: W },
    request: { user_id: 'ada' },
  });
});

it('reports that nothing was stored of a user who never existed', async () => {
  gateway.client.answer(identityErasure.erase, () => ({ done: true, removed: { recipient_preferences: 0 } }));
  gateway.client.answer(audienceErasure.erase, () => ({ done: true, removed: { subscriptions: 0 } }));
  gateway.client.answer(messagingErasure.erase, () => ({ done: true, removed: { messages: 0 }, accepted_up_to: 0 }));
  gateway.client.answer(erasureTraces.log, () => ({ done: true, removed: { records: 0 }, remaining: [] }));
  gateway.client.answer(erasureTraces.mailbox, () => ({ done: true, removed: {} }));

  const { code, out } = await tidings(['erase', W, 'adda']);

  expect([code, out.trim().split('\n').at(-1)]).toEqual([0, 'Nothing was stored of user adda']);
});

it('names the time of the first step of messaging in the next ones', async () => {
  gateway.client.answer(identityErasure.erase, () => ({ done: true, removed: { profiles: 0 } }));
  gateway.client.answer(audienceErasure.erase, () => ({ done: true, removed: { subscriptions: 0 } }));
  const steps = [3, 1, 0];
  const times: (number | undefined)[] = [];
  gateway.client.answer(messagingErasure.erase, (_context, { accepted_up_to }: EraseMessages) => {
    times.push(accepted_up_to);
    return { done: steps.length === 1, removed: { messages: steps.shift()! }, accepted_up_to: accepted_up_to ?? 1_767_322_985_678 };
  });

  expect(await tidings(['erase', W, 'ada'])).toMatchObject({ code: 0 });
  expect(times).toEqual([undefined, 1_767_322_985_678, 1_767_322_985_678]);
});

it('removes the profile that accepted messages create meanwhile', async () => {
  let profiles = 1;
  gateway.client.answer(identityErasure.erase, () => {
    const removed = { profiles };
    profiles = 0;
    return { done: true, removed };
  });
  gateway.client.answer(audienceErasure.erase, () => ({ done: true, removed: { subscriptions: 0 } }));
  gateway.client.answer(messagingErasure.erase, () => {
    profiles = 1;
    return { done: true, removed: { messages: 4 }, accepted_up_to: 0 };
  });

  const { out } = await tidings(['erase', W, 'ada', '--json']);

  expect(profiles).toBe(0);
  expect(JSON.parse(out)).toEqual([
    { service: 'identity', what: 'profiles', count: 2 },
    { service: 'audience', what: 'subscriptions', count: 0 },
    { service: 'messaging', what: 'messages', count: 4 },
    { service: 'log', what: 'records', count: 5 },
    { service: 'mailbox', what: 'mails', count: 2 },
    { service: 'log', what: 'topic tidings.profiles.v1', remaining: 1, until: '2026-01-03T00:00:00.000Z' },
    { service: 'log', what: 'topic tidings.dead.v1', reason: 'the topic retains its records' },
    { service: 'messaging', what: 'answers under Idempotency-Keys', remaining: 3, until: '2026-01-04T00:00:00.000Z' },
    { service: 'outside', what: expect.any(String) as string, reason: expect.any(String) as string },
    { service: 'outside', what: expect.any(String) as string, reason: expect.any(String) as string },
    { service: 'messaging', what: 'copies', message_ids: ['1-copied', '2-copied'] },
  ]);
});

it('prints the usage for an erasure without a user', async () => {
  const { code, err } = await tidings(['erase', 'Shop']);
  expect([code, err]).toEqual([2, expect.stringContaining('tidings erase WORKSPACE USER_ID')]);
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

it('lets processes go past records with unknown keys', async () => {
  gateway.client.answer(eventTopics.skipUnverified, () => undefined);

  expect(await tidings(['events', 'skip-unverified', 'tidings.profiles.v1'])).toMatchObject({ code: 0 });
  expect(gateway.client.callsOf(eventTopics.skipUnverified).at(-1)!.request).toEqual({ topic: 'tidings.profiles.v1' });
});
