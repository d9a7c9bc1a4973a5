import { randomUUID } from 'node:crypto';
import { audienceMembers } from '@tidings/contracts/audience/audience-members';
import { type AudienceFilter, audiences } from '@tidings/contracts/audience/audiences';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { Database } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { metrics } from '@tidings/runtime/metrics';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { PeopleProjection } from '../people-projection';
import { type AudienceInstance, AudienceInstances } from '../../testing/audience-instances';
import { announcePage } from './announce-page';
import { buildPage, switchVersion } from './build-page';
import { type Claim, claimRebuild } from './rebuild-queue';
import { RebuildWorker } from './rebuild-worker';

/** Lease of a worker that dies in the test. */
const LEASE_MS = 400;
const LONG_MS = 60_000;
const PAGE = 3;
/** Less than the shortest delay after a first failure. */
const POSTPONED_MS_MIN = 700;
const USERS = ['ada', 'bob', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal'];
const BOSSES: AudienceFilter = { operator: 'EQ', path: 'title', value: 'boss' };
const SENIORS: AudienceFilter = { operator: 'GTE', path: 'level', value: '5' };
const NEITHER: AudienceFilter = { operator: 'EQ', path: 'title', value: 'none' };

let instances: AudienceInstances;
/** Serves calls and applies people's events, without rebuilding: the tests rebuild page by page. */
let service: AudienceInstance;
let context: CallContext;

beforeEach(async () => {
  instances = await AudienceInstances.create({ leaseMs: LONG_MS, sweepMs: 30, pageSize: PAGE });
  service = await instances.start();
  await service.get(RebuildWorker).beforeApplicationShutdown();
  context = contextOf(randomUUID());
  // Level 1 to 8; every other one is a boss.
  for (const [n, user] of USERS.entries()) await publish(user, { title: n % 2 ? 'clerk' : 'boss', level: n + 1 });
});
afterEach(() => instances.close());

const publish = (user: string, profile: Record<string, unknown> | null) => instances.publishProfile(context.workspaceId, user, profile);
const put = (filter: AudienceFilter | null) => service.call(audiences.put, context, { audience_id: 'staff', filter });
const applied = async () => {
  const now = Date.now();
  await waitUntil(() => service.get(PeopleProjection).hasAppliedUpTo(now), { what: 'the published events' });
};
const members = async () => (await service.call(audiences.members, context, { audience_id: 'staff' })).items;
const memberIds = async () => (await members()).map(({ member_id }) => member_id);
const events = () =>
  instances.eventsOf(context.workspaceId, 'staff').map(({ type, data }) => [type.slice('audiences:'.length), data] as const);

/** Claims the rebuild for a worker that the test drives, and may abandon at any point. */
async function claim(leaseMs = LONG_MS): Promise<Claim> {
  return waitUntil(() => claimRebuild(service.get(Database), randomUUID(), leaseMs), { what: 'a rebuild' });
}

async function page(claimed: Claim, leaseMs = LONG_MS): Promise<Claim> {
  const progress = await buildPage(service.get(Database), claimed, PAGE, leaseMs);
  return typeof progress === 'string' ? claimed : { ...claimed, checkpoint: progress.checkpoint };
}

/** Rebuilds that workers of this process claimed after the lease of another one. */
async function recoveredCount(): Promise<number> {
  const text = await metrics.registry.getSingleMetricAsString('tidings_work_recovered_total');
  return Number(/queue="audience.rebuilds"\} (\d+)/.exec(text)![1]);
}

/** Finishes all rebuilds with another worker. */
async function finish(): Promise<void> {
  const other = await instances.start();
  await instances.waitUntilIdle(service);
  await other.stop();
}

it('serves the previous version until the new one is complete', async () => {
  await applied();
  await put(BOSSES);
  await finish();
  await put(SENIORS);

  const claimed = await page(await page(await page(await claim())));
  const before = await members();
  await switchVersion(service.get(Database), claimed, LONG_MS);
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

it('keeps the join time of members that stay', async () => {
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

it('publishes the update, then joins and leaves only, then the result', async () => {
  await applied();
  await put(BOSSES);
  await finish();
  const first = events().length;
  await put(SENIORS);
  await finish();

  const version = { audience_id: 'staff', audience_version: 2 };
  const [joined, left] = ["GTE('level', '5') => true", "GTE('level', '5') => false"];
  expect(
    events()
      .slice(0, first)
      .map(([type]) => type),
  ).toEqual(['updated', ...Array<string>(4).fill('user:matched'), 'calculated']);
  expect(events().slice(first)).toEqual([
    ['updated', { ...version, filter: SENIORS }],
    ['user:matched', { ...version, user_id: 'fay', reason: joined }],
    ['user:matched', { ...version, user_id: 'hal', reason: joined }],
    ['user:unmatched', { ...version, user_id: 'ada', reason: left }],
    ['user:unmatched', { ...version, user_id: 'cleo', reason: left }],
    ['calculated', { audience_id: 'staff', user_count: 4, total_users: 8, total_users_filtered: 4 }],
  ]);
});

it('claims one rebuild at a time, also with statistics of a single one', async () => {
  const ids = Array.from({ length: 9 }, (_, n) => `audience ${n}`);
  const putAudience = (audience_id: string) => service.call(audiences.put, context, { audience_id, filter: BOSSES });
  await putAudience('audience 0');
  await service.get(Database).execute('analyze audience_rebuilds');
  for (const id of ids.slice(1)) await putAudience(id);

  for (const audienceId of ids) await expect(claim()).resolves.toMatchObject({ audienceId });
});

it('continues at the checkpoint of a dead worker once its lease expires', async () => {
  await applied();
  await put(BOSSES);
  const dead = await page(await claim(), LEASE_MS);
  const before = await recoveredCount();

  await finish();

  await expect(recoveredCount()).resolves.toBe(before + 1);
  await expect(memberIds()).resolves.toEqual(['ada', 'cleo', 'eve', 'gus']);
  const result = { audience_id: 'staff', user_count: 4, total_users: 8, total_users_filtered: 4 };
  expect(events().at(-1)).toEqual(['calculated', result]); // each person is counted once
  expect(dead.checkpoint).toBe('cleo');
});

it('continues announcing after a worker died', async () => {
  await applied();
  await put(BOSSES);
  const claimed = await page(await page(await page(await claim())));
  await switchVersion(service.get(Database), claimed, LEASE_MS);

  await finish();

  expect(events().filter(([type]) => type === 'user:matched')).toHaveLength(4);
  expect(events().at(-1)![0]).toBe('calculated');
});

it('ignores a worker whose lease another one has claimed', async () => {
  await applied();
  await put(BOSSES);
  const slow = await page(await claim(), 0);
  await claim();

  const database = service.get(Database);
  await expect(buildPage(database, slow, PAGE, LEASE_MS)).resolves.toBe('lost');
  await expect(switchVersion(database, slow, LEASE_MS)).resolves.toBe(false);
  await expect(announcePage(database, service.get(Outbox), { ...slow, phase: 'announcing' }, LEASE_MS)).resolves.toBe('lost');
});

it('applies changes of people on both sides of the checkpoint during a rebuild', async () => {
  await applied();
  await put(BOSSES);
  let claimed = await page(await claim());
  await publish('ada', { title: 'clerk' });
  await publish('bob', { title: 'boss' });
  await publish('gus', null);
  await publish('hal', { title: 'boss' });
  await publish('aaron', { title: 'boss' });
  await publish('zoe', { title: 'boss' });
  await applied();
  claimed = await page(await page(claimed));
  await page(claimed);
  await switchVersion(service.get(Database), claimed, LEASE_MS);

  await expect(memberIds()).resolves.toEqual(['aaron', 'bob', 'cleo', 'eve', 'hal', 'zoe']);
});

it('does not insert a person who changed after being read', async () => {
  await applied();
  await put(BOSSES);
  const database = service.get(Database);
  const claimed = await claim();
  const transaction = database.transaction.bind(database);
  jest.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
    await publish('ada', { title: 'clerk' });
    await applied();
    return transaction(work);
  });

  // The projection uses the same database: only the first transaction waits.
  await buildPage(database, claimed, USERS.length + 1, LONG_MS);
  await switchVersion(database, claimed, LEASE_MS);

  await expect(memberIds()).resolves.toEqual(['cleo', 'eve', 'gus']);
});

it('cancels a building version when the filter changes again', async () => {
  await applied();
  await put(BOSSES);
  const cancelled = await page(await claim());
  await put(SENIORS);

  await expect(buildPage(service.get(Database), cancelled, PAGE, LEASE_MS)).resolves.toBe('lost');
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

it('announces a version completely before it builds the next one', async () => {
  await applied();
  await put(BOSSES);
  const claimed = await page(await page(await page(await claim())));
  await switchVersion(service.get(Database), claimed, LEASE_MS);
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

it('returns each member of both versions once when the version changes between two pages', async () => {
  await applied();
  await put(BOSSES);
  await finish();
  const request = (after?: string) => service.call(audienceMembers.ofAudience, context, { audience_id: 'staff', after, limit: 2 });

  const first = await request();
  await put({ operator: 'OR', filters: [BOSSES, SENIORS] });
  await finish();
  const second = await request(first.next);
  const third = await request(second.next);
  const last = await request(third.next);

  expect([first, second, third, last].flatMap(({ user_ids }) => user_ids)).toEqual(['ada', 'cleo', 'eve', 'fay', 'gus', 'hal']);
  expect(last.next).toBeUndefined();
});

it('postpones a rebuild whose pages take too long, halves them, and lets others proceed', async () => {
  await applied();
  const stranger = contextOf(randomUUID());
  await instances.publishProfile(stranger.workspaceId, 'zoe', { title: 'boss' });
  await applied();
  const other = await instances.start();
  const database = other.get(Database);
  const query = database.query.bind(database);
  const isFinished = (id: string) => instances.events.some(({ type, audienceId }) => type === 'audiences:calculated' && audienceId === id);
  const refused: { size: unknown; at: number }[] = [];
  const read: unknown[] = [];
  jest.spyOn(database, 'query').mockImplementation((statement, values = []) => {
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
  const due = await waitUntil(whenDue, { what: 'the rebuild to be postponed' });
  await service.call(audiences.put, stranger, { audience_id: 'theirs', filter: BOSSES });
  await waitUntil(() => isFinished('theirs'), { what: 'the rebuild of others' });
  await instances.waitUntilIdle(service);

  expect(due - refused[0]!.at).toBeGreaterThanOrEqual(POSTPONED_MS_MIN);
  await expect(memberIds()).resolves.toEqual(['ada', 'cleo', 'eve', 'gus']);
  expect(refused[0]!.size).toBe(PAGE);
  expect(read).toEqual(Array(USERS.length + 1).fill(Math.floor(PAGE / 2)));
});

/** When the audience's unclaimed rebuild is due, in ms since 1970. */
async function whenDue(): Promise<number | undefined> {
  const text = `select extract(epoch from due_at)::float8 * 1000 as due from audience_rebuilds where workspace_id = $1 and holder is null`;
  const [row] = await instances.sql<{ due: number }>(service, text, [context.workspaceId]);
  return row?.due;
}
