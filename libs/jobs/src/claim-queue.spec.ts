import { randomUUID } from 'node:crypto';
import { statement } from '@tidings/persistence/database';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { ClaimQueue } from './claim-queue';
import { type Item, Items, STATEMENTS } from './items.fixture';

const END = statement('jobs-spec.end', 'delete from items where id = $1 and turn = $2');
/** Longer than a test. */
const LONG_MS = 600_000;
const SHORT_MS = 50;

describe('a queue of claimed rows', () => {
  let items: Items;

  beforeAll(async () => {
    items = await Items.create();
  });
  afterEach(() => items.clear());
  afterAll(() => items.end());

  const worker = (leaseMs = LONG_MS): ClaimQueue<Item> => new ClaimQueue<Item>(items.database, STATEMENTS, leaseMs);
  const end = ({ id, generation }: Item): Promise<number> => items.database.execute(END, [id, generation]);
  const claimed = (queue: ClaimQueue<Item>): Promise<Item> =>
    waitUntil(async () => (await queue.claim(1))[0], { what: 'a row whose lease has ended' });

  it('gives each due row to one worker, with the columns of its table', async () => {
    await items.add(20);
    const workers = [worker(), worker(), worker()];

    const batches = await Promise.all(workers.map((queue) => queue.claim(20)));

    const claims = batches.flat();
    expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length);
    const rest = await worker().claim(20);
    expect(claims.length + rest.length).toBe(20);
    const isFresh = ({ generation, orphaned, title }: Item) => generation === 1 && !orphaned && title.startsWith('item ');
    expect(claims.every(isFresh)).toBe(true);
  });

  it('says when the next row is due, and claims none before', async () => {
    await expect(worker().nextDueMs()).resolves.toBeUndefined();
    await items.add(1, { inMs: LONG_MS });

    await expect(worker().claim(10)).resolves.toEqual([]);
    const waitMs = await worker().nextDueMs();
    expect(waitMs).toBeGreaterThan(LONG_MS / 2);
    expect(waitMs).toBeLessThanOrEqual(LONG_MS);
  });

  it('serves owners round-robin once more is due than fits', async () => {
    const [crowd, other] = [randomUUID(), randomUUID()].sort() as [string, string];
    await items.add(100, { workspaceId: crowd });
    await items.add(3, { workspaceId: other });
    const queue = worker();
    await queue.claim(8);

    const rows = [...(await queue.claim(8)), ...(await queue.claim(8))];

    expect(rows.filter(({ workspace_id }) => workspace_id === other)).toHaveLength(3);
  });

  it('does not count a row as recovered whose worker has ended its claim', async () => {
    await items.add(1);
    const [item] = (await worker().claim(1)) as [Item];

    await items.admin.query('update items set turn = turn + 1, due_at = clock_timestamp() where id = $1', [item.id]);

    await expect(worker().claim(1)).resolves.toMatchObject([{ generation: 3, orphaned: false }]);
  });

  it('gives the row of a frozen worker to another one, and the thawed worker changes nothing', async () => {
    await items.add(1);
    const frozen = worker(SHORT_MS);
    const [old] = (await frozen.claim(1)) as [Item];

    const current = await claimed(worker());
    await frozen.renew([old]);

    expect(current).toMatchObject({ id: old.id, generation: old.generation + 1, orphaned: true });
    expect(current.late_ms).toBeGreaterThan(0);
    await expect(worker().nextDueMs()).resolves.toBeGreaterThan(SHORT_MS);
    await expect(end(old)).resolves.toBe(0);
    await expect(end(current)).resolves.toBe(1);
  });

  it('keeps the row of a worker that renews its lease', async () => {
    await items.add(1);
    const [item] = (await worker(SHORT_MS).claim(1)) as [Item];

    await worker().renew([item]);

    await expect(worker().nextDueMs()).resolves.toBeGreaterThan(SHORT_MS);
    await expect(end(item)).resolves.toBe(1);
  });

  it('gives a row at once to another worker where one was killed while claiming it', async () => {
    await items.add(1);
    const killed = new Client({ connectionString: items.server.urlOf('messaging') });
    killed.on('error', () => undefined); // its connection is terminated
    await killed.connect();
    await killed.query('set search_path to messaging');
    await killed.query('begin');
    const { rows } = await killed.query<Item>(STATEMENTS.oldest.text, [1, LONG_MS]);
    expect(rows).toHaveLength(1);
    await expect(worker().claim(1)).resolves.toEqual([]); // locked, so it is skipped

    const { rows: own } = await killed.query<{ pid: number }>('select pg_backend_pid() as pid');
    await items.admin.query('select pg_terminate_backend($1)', [own[0]!.pid]);

    await expect(claimed(worker())).resolves.toMatchObject({ id: rows[0]!.id, generation: 1 });
    await killed.end().catch(() => undefined);
  });
});
