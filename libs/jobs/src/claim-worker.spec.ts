import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { SourceProcess } from '@tidings/testing/source-process';
import { waitUntil } from '@tidings/testing/wait-until';
import type { WorkerSettings } from './claim-worker.fixture';
import { Items, STATEMENTS } from './items.fixture';

/** A lease longer than a pause of a busy machine; a test waits for its end. */
const LEASE_MS = 2_000;
/** Polls for the rows of dead workers. */
const POLL_MS = 200;
/** Longer than a test: only a wake, or a due row that it knows of, starts a poll. */
const NEVER_MS = 600_000;

interface Effect {
  worker: string;
  what: 'claimed' | 'ended' | 'late' | 'postponed';
  id: string;
  generation: number;
  title: string;
  /** In ms. */
  at: number;
  due_at: number | null;
}

/** What any queue of claimed rows promises, proved by processes that are killed, frozen and stopped. */
describe('workers in several processes', () => {
  let items: Items;
  let workers: SourceProcess[];

  beforeAll(async () => {
    items = await Items.create();
  });
  beforeEach(() => {
    workers = [];
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await items.clear();
  });
  afterAll(() => items.end());

  /** Starts a process; resolves when other processes can wake it. */
  async function start(name: string, { max = 4, times }: Partial<WorkerSettings> = {}): Promise<SourceProcess> {
    const settings: WorkerSettings = { name, max, times: { leaseMs: LEASE_MS, pollMs: NEVER_MS, ...times } };
    const environment = { WORKER: JSON.stringify(settings), WORKER_DATABASE: items.server.urlOf('messaging') };
    const worker = SourceProcess.start(join(__dirname, 'claim-worker.fixture.ts'), { environment });
    workers.push(worker);
    const { wakes } = items.database;
    await Promise.race([
      worker.untilOutput(/listening/),
      waitUntil(async () => (await wakes.leave('jobs-spec.listening'), worker.output.includes('listening')), { what: `${name} to listen` }),
    ]);
    return worker;
  }

  /** Starts a process; resolves when its first poll has found nothing too. */
  const startIdle = async (name: string): Promise<void> => void (await (await start(name)).untilOutput(/polled/));

  const effects = async (): Promise<Effect[]> => {
    const text = `select worker, what, id, generation, title, extract(epoch from at)::float8 * 1000 as at,
                         extract(epoch from due_at)::float8 * 1000 as due_at from effects order by number`;
    return (await items.admin.query<Effect>(text)).rows;
  };
  const effectOf = (id: string, what: Effect['what'], generation?: number): Promise<Effect> =>
    waitUntil(
      async () => (await effects()).find((one) => one.id === id && one.what === what && (generation ?? one.generation) === one.generation),
      { what: `an item to be ${what}` },
    );
  const release = (id: string, generation: number) => items.admin.query('insert into released values ($1, $2)', [id, generation]);
  const dueAt = async (id: string): Promise<number> => {
    const text = 'select extract(epoch from due_at)::float8 * 1000 as due_at from items where id = $1';
    return (await items.admin.query<{ due_at: number }>(text, [id])).rows[0]!.due_at;
  };
  const renewed = async (id: string): Promise<void> => {
    const before = await dueAt(id);
    await waitUntil(async () => (await dueAt(id)) > before, { what: 'a lease to be renewed' });
  };
  /** Stops a process; resolves with its metrics. */
  const stop = async (worker: SourceProcess): Promise<string> => {
    await expect(worker.kill('SIGTERM')).resolves.toBe(0);
    return worker.output;
  };

  it('serve owners fairly, each row once', async () => {
    await Promise.all([startIdle('one'), startIdle('two')]);
    const workspaceId = randomUUID();
    await items.add(100, { workspaceId, lane: 0, title: 'crowd' });
    await items.add(3, { workspaceId, lane: 1, title: 'other lane' });
    await items.add(3, { lane: 0, title: 'other workspace' });

    await items.database.wakes.leave(STATEMENTS.queue);
    const all = await waitUntil(
      async () => {
        const found = await effects();
        return found.filter(({ what }) => what === 'ended').length === 106 ? found : undefined;
      },
      { what: 'all items to end' },
    );

    const claimed = all.filter(({ what }) => what === 'claimed');
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(106);
    expect(claimed).toHaveLength(106);
    expect(claimed.findLastIndex(({ title }) => title !== 'crowd')).toBeLessThan(50);
  });

  it('renew the lease of slow work; the work of a killed one is claimed when its lease ends', async () => {
    const id = await items.add(1, { title: 'blocked' });
    const killed = await start('killed');
    await effectOf(id, 'claimed');
    const other = await start('other', { times: { pollMs: POLL_MS } });
    for (let renewals = 0; renewals < 4; renewals += 1) await renewed(id); // beyond the first lease
    expect(await effects()).toHaveLength(1);

    await killed.kill();
    const leaseEnd = await dueAt(id);
    const { worker, generation, at } = await effectOf(id, 'claimed', 2);
    await release(id, generation);
    await effectOf(id, 'ended');

    expect(worker).toBe('other');
    expect(at).toBeGreaterThanOrEqual(leaseEnd);
    expect(await stop(other)).toContain(`tidings_work_recovered_total{queue="${STATEMENTS.queue}"} 1`);
  });

  it('lose the work that is claimed while they are frozen: thawed, they change nothing', async () => {
    const id = await items.add(1, { title: 'blocked' });
    const frozen = await start('frozen');
    await effectOf(id, 'claimed');
    process.kill(frozen.pid, 'SIGSTOP');
    await start('other', { times: { pollMs: POLL_MS } });
    await effectOf(id, 'claimed', 2);

    await release(id, 1);
    process.kill(frozen.pid, 'SIGCONT');
    await effectOf(id, 'late', 1);
    await renewed(id); // by the worker that has it now
    await release(id, 2);
    await effectOf(id, 'ended', 2);

    const all = await effects();
    expect(all.map(({ worker, what }) => `${worker} ${what}`)).toEqual(['frozen claimed', 'other claimed', 'frozen late', 'other ended']);
  });

  it('work on failing rows again after their delay, and on others meanwhile', async () => {
    const id = await items.add(1, { title: 'failing' });
    await start('one', { times: { firstRetryMs: 1_000 } });
    await effectOf(id, 'postponed');
    const quick = await items.add(1);
    await items.database.wakes.leave(STATEMENTS.queue);
    await effectOf(id, 'ended');

    const all = await effects();
    const attempts = all.filter((one) => one.id === id);
    expect(attempts.map(({ what }) => what)).toEqual(['claimed', 'postponed', 'claimed', 'postponed', 'claimed', 'ended']);
    expect(attempts[2]!.at).toBeGreaterThanOrEqual(attempts[1]!.due_at!);
    expect(attempts[4]!.at).toBeGreaterThanOrEqual(attempts[3]!.due_at!);
    expect(all.findIndex((one) => one.id === quick && one.what === 'ended')).toBeLessThan(all.indexOf(attempts[4]!));
  });

  it('wake others for rows that are due while all they can work on is claimed', async () => {
    await startIdle('other');
    const id = await items.add(1, { title: 'blocked', inMs: -1_000 });
    await items.add(3);

    await start('full', { max: 1 });
    await waitUntil(async () => (await effects()).filter(({ what }) => what === 'ended').length === 3, { what: 'the others to end' });

    const workersOf = async (own: boolean) =>
      new Set((await effects()).filter((one) => (one.id === id) === own).map(({ worker }) => worker));
    expect(await workersOf(true)).toEqual(new Set(['full']));
    expect(await workersOf(false)).toEqual(new Set(['other']));
  });

  it('end their work when they stop, claim nothing more, and leave the rest to others', async () => {
    await startIdle('other');
    const [slow, failing] = [await items.add(1, { title: 'blocked' }), await items.add(1, { title: 'failing' })];
    const stopping = await start('stopping', { times: { firstRetryMs: NEVER_MS } });
    await effectOf(failing, 'postponed');
    await effectOf(slow, 'claimed');

    const stopped = stop(stopping);
    await stopping.untilOutput(/stopping/);
    await items.admin.query('update items set due_at = clock_timestamp() where id = $1', [failing]);
    await release(slow, 1);
    await effectOf(failing, 'claimed', 3);
    await stopped;

    const seen = (await effects())
      .filter(({ what }) => what !== 'postponed')
      .map(({ worker, what, title }) => `${worker} ${what} ${title}`);
    expect(seen.slice(2)).toEqual(['stopping ended blocked', 'other claimed failing']);
  });
});
