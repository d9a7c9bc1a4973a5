import { randomUUID } from 'node:crypto';
import { audienceMembers } from '@tidings/contracts/audience/audience-members';
import { type AudienceFilter, audiences } from '@tidings/contracts/audience/audiences';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { Database } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { PeopleProjection } from '../../people/people-projection';
import { type AudienceInstance, AudienceInstances } from '../../testing/audience-instances';
import { announcePage } from './announce-page';
import { buildPage, switchVersion } from './build-page';
import { type Claim, claimRebuild } from './rebuild-queue';
import { RebuildWorker } from './rebuild-worker';

/** Of a worker that is about to die. */
const LEASE_MS = 400;
const LONG_MS = 60_000;
const PAGE = 3;
/** Less than the shortest time by which what failed once is put off. */
const PUT_OFF_MS_MIN = 700;
const USERS = ['ada', 'bob', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal'];
const BOSSES: AudienceFilter = { operator: 'EQ', path: 'title', value: 'boss' };
const SENIORS: AudienceFilter = { operator: 'GTE', path: 'level', value: '5' };
const NEITHER: AudienceFilter = { operator: 'EQ', path: 'title', value: 'nobody' };

let instances: AudienceInstances;
/** Answers, and follows what is told of people; rebuilds nothing, so that a story does it page by page. */
let service: AudienceInstance;
let context: CallContext;

beforeEach(async () => {
  instances = await AudienceInstances.create({ leaseMs: LEASE_MS, sweepMs: 30, pageSize: PAGE });
  service = await instances.start();
  await service.get(RebuildWorker).stop();
  context = contextOf(randomUUID());
  // Level 1 to 8; every other one is a boss.
  for (const [n, user] of USERS.entries()) await tell(user, { title: n % 2 ? 'clerk' : 'boss', level: n + 1 });
});
afterEach(() => instances.end());

const tell = (user: string, profile: Record<string, unknown> | null) => instances.tellProfile(context.workspaceId, user, profile);
const put = (filter: AudienceFilter | null) => service.call(audiences.put, context, { audience_id: 'staff', filter });
const applied = async () => {
  const now = Date.now();
  await waitUntil(() => service.get(PeopleProjection).hasAppliedUpTo(now), { what: 'what was told' });
};
const members = async () => (await service.call(audiences.members, context, { audience_id: 'staff' })).items;
const memberIds = async () => (await members()).map(({ member_id }) => member_id);
const events = () =>
  instances.eventsOf(context.workspaceId, 'staff').map(({ type, data }) => [type.slice('audiences:'.length), data] as const);

/** A worker that a story leads, and may leave in the middle of its work. */
async function claim(leaseMs = LONG_MS): Promise<Claim> {
  return waitUntil(() => claimRebuild(service.get(Database), randomUUID(), leaseMs), { what: 'a rebuild' });
}

async function page(held: Claim, leaseMs = LONG_MS): Promise<Claim> {
  const progress = await buildPage(service.get(Database), held, PAGE, leaseMs);
  return typeof progress === 'string' ? held : { ...held, checkpoint: progress.checkpoint };
}

/** Finishes everything with a worker of its own. */
async function finish(): Promise<void> {
  const other = await instances.start();
  await instances.quiet(service);
  await other.stop();
}

it('serves the members of the version before until the new one is complete', async () => {
  await applied();
  await put(BOSSES);
  await finish();
  await put(SENIORS);

  const held = await page(await page(await page(await claim())));
  const before = await members();
  await switchVersion(service.get(Database), held, LONG_MS);
  const after = await members();

  expect(before.map(({ member_id, audience_version }) => [member_id, audience_version])).toEqual([
    ['ada', 1],
    ['cleo', 1],
    ['eve', 1],
    ['gus', 1],
  ]);
  expect(after.map(({ member_id, audience_version }) => [member_id, audience_version])).toEqual([
    ['eve', 2],
    ['fay', 2],
    ['gus', 2],
    ['hal', 2],
  ]);
});

it('keeps since when somebody is a member who stays', async () => {
  await applied();
  await put(BOSSES);
  await finish();
  const before = new Map((await members()).map(({ member_id, added_at }) => [member_id, added_at]));

  await put(SENIORS);
  await finish();

  const after = new Map((await members()).map(({ member_id, added_at }) => [member_id, added_at]));
  expect([after.get('eve'), after.get('gus')]).toEqual([before.get('eve'), before.get('gus')]);
  expect(Date.parse(after.get('hal')!)).toBeGreaterThan(Date.parse(before.get('eve')!));
});

it('tells of the update, then of who came in and who left and nobody else, then of the result', async () => {
  await applied();
  await put(BOSSES);
  await finish();
  const first = events().length;
  await put(SENIORS);
  await finish();

  const version = { audience_id: 'staff', audience_version: 2 };
  const [came, left] = ["GTE('level', '5') => true", "GTE('level', '5') => false"];
  expect(
    events()
      .slice(0, first)
      .map(([type]) => type),
  ).toEqual(['updated', ...Array<string>(4).fill('user:matched'), 'calculated']);
  expect(events().slice(first)).toEqual([
    ['updated', { ...version, filter: SENIORS }],
    ['user:matched', { ...version, user_id: 'fay', reason: came }],
    ['user:matched', { ...version, user_id: 'hal', reason: came }],
    ['user:unmatched', { ...version, user_id: 'ada', reason: left }],
    ['user:unmatched', { ...version, user_id: 'cleo', reason: left }],
    ['calculated', { audience_id: 'staff', user_count: 4, total_users: 8, total_users_filtered: 4 }],
  ]);
});

it('goes on where a worker died, once its lease has run out', async () => {
  await applied();
  await put(BOSSES);
  const dead = await page(await claim(), LEASE_MS);

  await finish();

  await expect(memberIds()).resolves.toEqual(['ada', 'cleo', 'eve', 'gus']);
  const result = { audience_id: 'staff', user_count: 4, total_users: 8, total_users_filtered: 4 };
  expect(events().at(-1)).toEqual(['calculated', result]); // nobody was counted twice
  expect(dead.checkpoint).toBe('cleo');
});

it('goes on with the telling where a worker died', async () => {
  await applied();
  await put(BOSSES);
  const held = await page(await page(await page(await claim())));
  await switchVersion(service.get(Database), held, LEASE_MS);

  await finish();

  expect(events().filter(([type]) => type === 'user:matched')).toHaveLength(4);
  expect(events().at(-1)![0]).toBe('calculated');
});

it('lets a worker do nothing any more that was taken for dead', async () => {
  await applied();
  await put(BOSSES);
  const slow = await page(await claim(), 0);
  await claim();

  const db = service.get(Database);
  await expect(buildPage(db, slow, PAGE, LEASE_MS)).resolves.toBe('lost');
  await expect(switchVersion(db, slow, LEASE_MS)).resolves.toBe(false);
  await expect(announcePage(db, service.get(Outbox), { ...slow, phase: 'announcing' }, LEASE_MS)).resolves.toBe('lost');
});

it('looks at who changes during the rebuild, behind the place it has come to and before it', async () => {
  await applied();
  await put(BOSSES);
  let held = await page(await claim());
  await tell('ada', { title: 'clerk' });
  await tell('bob', { title: 'boss' });
  await tell('gus', null);
  await tell('hal', { title: 'boss' });
  await tell('aaron', { title: 'boss' });
  await tell('zoe', { title: 'boss' });
  await applied();
  held = await page(await page(held));
  await page(held);
  await switchVersion(service.get(Database), held, LEASE_MS);

  await expect(memberIds()).resolves.toEqual(['aaron', 'bob', 'cleo', 'eve', 'hal', 'zoe']);
});

it('does not take in who changed between being read and being taken in', async () => {
  await applied();
  await put(BOSSES);
  const db = service.get(Database);
  const held = await claim();
  const transaction = db.transaction.bind(db);
  jest.spyOn(db, 'transaction').mockImplementationOnce(async (work) => {
    await tell('ada', { title: 'clerk' });
    await applied();
    return transaction(work);
  });

  // The projection uses the same database: let it through.
  await buildPage(db, held, USERS.length + 1, LONG_MS);
  await switchVersion(db, held, LEASE_MS);

  await expect(memberIds()).resolves.toEqual(['cleo', 'eve', 'gus']);
});

it('gives up the version that is built when the filter changes again', async () => {
  await applied();
  await put(BOSSES);
  const given = await page(await claim());
  await put(SENIORS);

  await expect(buildPage(service.get(Database), given, PAGE, LEASE_MS)).resolves.toBe('lost');
  await finish();

  await expect(memberIds()).resolves.toEqual(['eve', 'fay', 'gus', 'hal']);
  const versions = events().map(([type, data]) => [type, (data as { audience_version?: number }).audience_version]);
  expect(versions).toEqual([
    ['updated', 1],
    ['updated', 2],
    ...Array<[string, number]>(4).fill(['user:matched', 2]),
    ['calculated', undefined],
  ]);
});

it('tells of a version to the end before it turns to the filter that came meanwhile', async () => {
  await applied();
  await put(BOSSES);
  const held = await page(await page(await page(await claim())));
  await switchVersion(service.get(Database), held, LEASE_MS);
  await put(NEITHER);

  await finish();

  await expect(memberIds()).resolves.toEqual([]);
  const versions = events().map(([type, data]) => [type, (data as { audience_version?: number }).audience_version]);
  expect(versions).toEqual([
    ['updated', 1],
    ['updated', 2],
    ...Array<[string, number]>(4).fill(['user:matched', 1]),
    ['calculated', undefined],
    ...Array<[string, number]>(4).fill(['user:unmatched', 2]),
    ['calculated', undefined],
  ]);
});

it('meets everybody once in a send who is in both versions, though the version changes between two pages', async () => {
  await applied();
  await put(BOSSES);
  await finish();
  const ask = (after?: string) => service.call(audienceMembers.ofAudience, context, { audience_id: 'staff', after, limit: 2 });

  const first = await ask();
  await put({ operator: 'OR', filters: [BOSSES, SENIORS] });
  await finish();
  const second = await ask(first.next);
  const third = await ask(second.next);
  const last = await ask(third.next);

  expect([first, second, third, last].flatMap(({ user_ids }) => user_ids)).toEqual(['ada', 'cleo', 'eve', 'fay', 'gus', 'hal']);
  expect(last.next).toBeUndefined();
});

it('puts off a rebuild whose pages take the database too long, with smaller ones, and others go on meanwhile', async () => {
  await applied();
  const stranger = contextOf(randomUUID());
  await instances.tellProfile(stranger.workspaceId, 'zoe', { title: 'boss' });
  await applied();
  const other = await instances.start();
  const db = other.get(Database);
  const query = db.query.bind(db);
  const isFinished = (id: string) => instances.told.some(({ type, audienceId }) => type === 'audiences:calculated' && audienceId === id);
  const refused: { size: unknown; at: number }[] = [];
  const read: unknown[] = [];
  jest.spyOn(db, 'query').mockImplementation((statement, values = []) => {
    const isPage = typeof statement === 'string' && statement.includes('from people where') && values[0] === context.workspaceId;
    if (!isPage) return query(statement, values);
    if (isFinished('theirs')) {
      read.push(values[2]);
      return query(statement, values);
    }
    refused.push({ size: values[2], at: Date.now() });
    return Promise.reject(new ServiceError('deadline_exceeded', 'The database took too long'));
  });

  await put(BOSSES);
  await waitUntil(() => refused.length > 0, { what: 'the first attempt' });
  const due = await waitUntil(whenDue, { what: 'the rebuild to be put off' });
  await service.call(audiences.put, stranger, { audience_id: 'theirs', filter: BOSSES });
  await waitUntil(() => isFinished('theirs'), { what: 'the rebuild of others' });
  await instances.quiet(service);

  expect(due - refused[0]!.at).toBeGreaterThanOrEqual(PUT_OFF_MS_MIN);
  await expect(memberIds()).resolves.toEqual(['ada', 'cleo', 'eve', 'gus']);
  expect(refused[0]!.size).toBe(PAGE);
  expect(read).toEqual(Array(USERS.length + 1).fill(Math.floor(PAGE / 2)));
});

/** When the audience's rebuild, which nobody holds, is due. */
async function whenDue(): Promise<number | undefined> {
  const text = `select extract(epoch from due_at)::float8 * 1000 as due from audience_rebuilds where workspace_id = $1 and holder is null`;
  const [row] = await instances.sql<{ due: number }>(service, text, [context.workspaceId]);
  return row?.due;
}
