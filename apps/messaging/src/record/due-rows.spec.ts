import { randomUUID } from 'node:crypto';
import { ownerName, RoundRobinCursor } from '@tidings/jobs/round-robin';
import { database, sql } from './idle-tables.fixture';
import { DeliveryLeases } from './delivery-store';

const NORMAL = 1;

/** Deliveries of one owner, the first due `agoMs` ago, each of the next one a millisecond later. */
const deliveries = (workspaceId: string, count: number, agoMs: number): Promise<unknown> =>
  sql(
    `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
     select gen_random_uuid(), 0, $1, 'email', 'smtp', 0, false, clock_timestamp() - ($3 - number) * interval '1 millisecond'
     from generate_series(1, $2) as number`,
    [workspaceId, count, agoMs],
  );
const leases = (): DeliveryLeases => new DeliveryLeases(database());
const workspaces = (count: number): string[] => Array.from({ length: count }, () => randomUUID()).sort();
const countsOf = (rows: readonly { workspace_id: string }[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { workspace_id } of rows) counts.set(workspace_id, (counts.get(workspace_id) ?? 0) + 1);
  return counts;
};

describe('due rows', () => {
  it('are leased oldest first; rows due later stay', async () => {
    const [ada, bob, eve] = workspaces(3) as [string, string, string];
    await deliveries(ada, 3, 10_000);
    await deliveries(bob, 3, 20_000);
    await deliveries(eve, 3, -3_600_000);

    const rows = await leases().claim(4, [], []);

    expect(countsOf(rows)).toEqual(
      new Map([
        [ada, 1],
        [bob, 3],
      ]),
    );
    expect(await leases().claim(100, [], [])).toHaveLength(2);
    expect(await leases().nextDueMs([])).toBeGreaterThan(0);
  });

  it('are leased round-robin where one owner has far more than fit', async () => {
    const owners = workspaces(5);
    const [crowd, ...others] = owners as [string, ...string[]];
    await deliveries(crowd, 500, 3_600_000);
    for (const owner of others) await deliveries(owner, 3, 1_000);
    const own = leases();

    expect(countsOf(await own.claim(40, [], []))).toEqual(new Map([[crowd, 40]])); // the first poll does not know of other owners
    const next = countsOf(await own.claim(40, [], []));

    for (const owner of others) expect(next.get(owner)).toBe(3);
    expect(next.get(crowd)).toBe(10);
  });

  it('of owners that one poll did not reach come first in the next', async () => {
    const owners = workspaces(12);
    for (const owner of owners) await deliveries(owner, 50, 1_000);
    const own = leases();
    await own.claim(10, [], []);

    const seen: string[] = [];
    for (let poll = 0; poll < 6; poll += 1) seen.push(...countsOf(await own.claim(10, [], [])).keys());

    expect(new Set(seen.slice(0, owners.length))).toEqual(new Set(owners));
  });

  it('of owners at their limit are skipped', async () => {
    const [full, free] = workspaces(2) as [string, string];
    await deliveries(full, 50, 3_600_000);
    await deliveries(free, 2, 1_000);

    const rows = await leases().claim(20, [], [ownerName({ workspaceId: full, lane: NORMAL })]);

    expect(countsOf(rows)).toEqual(new Map([[free, 2]]));
  });

  it('include a delivery of a message whose other delivery is leased', async () => {
    const id = randomUUID();
    const insert = `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
                    select $1, leaf, $2, 'email', 'smtp', 0, false, clock_timestamp() from generate_series(0, 1) as leaf`;
    await sql(insert, [id, randomUUID()]);

    expect(await leases().nextDueMs([`${id}/0`])).toBeLessThanOrEqual(0);
    expect(await leases().claim(10, [`${id}/0`], [])).toMatchObject([{ message_id: id, leaf: 1 }]);
  });

  it('are leased once by concurrent polls', async () => {
    const [owner] = workspaces(1) as [string];
    await deliveries(owner, 60, 1_000);

    const leased = await Promise.all(Array.from({ length: 6 }, () => leases().claim(20, [], [])));

    const ids = leased.flat().map(({ message_id }) => message_id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await leases().claim(100, [], []);
    expect(ids.length + rest.length).toBe(60);
  });
});

describe('the round-robin', () => {
  const row = (workspace_id: string) => ({ workspace_id, lane: NORMAL });

  it('is off while all due rows fit', async () => {
    const queries: (unknown[] | undefined)[] = [];
    const cursor = new RoundRobinCursor();
    const none = (roundRobin?: unknown[]) => Promise.resolve((queries.push(roundRobin), []));
    await cursor.claim(10, [], none);
    await cursor.claim(10, [], none);
    expect(queries).toEqual([undefined, undefined]);
  });

  it('starts after the last owner that was reached, and at the first one when the round is over', async () => {
    const cursor = new RoundRobinCursor();
    const starts: unknown[] = [];
    const results = [['a', 'a'], ['b', 'c'], ['d'], [], []];
    for (const owners of results) {
      await cursor.claim(2, [], (roundRobin) => Promise.resolve((starts.push(roundRobin?.[0]), owners.map(row))));
    }
    const first = '00000000-0000-0000-0000-000000000000';
    expect(starts).toEqual([undefined, first, 'c', first, undefined]);
  });
});
