import { randomUUID } from 'node:crypto';
import { expectIndexed } from '@tidings/testing/explain';
import { runsOf } from '@tidings/testing/runs-of';
import { addRelease, countDeliveries, RELEASE_PAGE, releaseNext } from './delivery-releases';
import { database, sql } from './idle-tables.fixture';

const MANY = 2 * RELEASE_PAGE + 5;
const HOUR = "interval '1 hour'";

let key: { workspaceId: string; id: string };
beforeEach(() => {
  key = { workspaceId: randomUUID(), id: 'prv_a' };
});
afterEach(() => sql('truncate messaging.delivery_releases'));

const insert = (count: number, { integration = key.id, hasSlot = false, isOpen = false } = {}): Promise<unknown> =>
  sql(
    `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at, integration, has_slot)
     select gen_random_uuid(), number % 3, $1, 'sms', 'http', 1, $4, clock_timestamp() + ${HOUR}, $3, $5 from generate_series(1, $2) as number`,
    [key.workspaceId, count, integration, isOpen, hasSlot],
  );
const release = async (freesSlots = false): Promise<void> => {
  await database().transaction((tx) => addRelease(tx, key, freesSlots));
  await sql('update messaging.delivery_releases set due_at = clock_timestamp()');
};
const step = (): Promise<boolean> => database().transaction((tx) => releaseNext(tx));
const steps = async (): Promise<number> => {
  for (let count = 0; ; count += 1) if (!(await step())) return count;
};
const due = (): Promise<unknown[]> =>
  sql('select integration, has_slot, attempt_open from messaging.deliveries where due_at <= clock_timestamp()');

describe('a release', () => {
  it('makes deliveries due in pages, each once, and continues where another process left it', async () => {
    await insert(MANY);
    await release();

    expect(await step()).toBe(true);
    expect(await due()).toHaveLength(RELEASE_PAGE);
    // Their next attempts fail meanwhile.
    await sql(`update messaging.deliveries set due_at = clock_timestamp() + 2 * ${HOUR} where due_at <= clock_timestamp()`);
    expect(await steps()).toBe(2);

    expect(await due()).toHaveLength(MANY - RELEASE_PAGE);
    expect(await sql('select from messaging.delivery_releases')).toEqual([]);
  });

  it('is of one configuration, and leaves open attempts and reserved slots', async () => {
    await insert(2);
    await insert(1, { integration: 'prv_b' });
    await insert(1, { isOpen: true });
    await insert(1, { hasSlot: true });
    expect(await countDeliveries(database(), key)).toMatchObject({ open: 4, waiting: 2 });

    await release();
    await steps();

    const released = { integration: key.id, has_slot: false, attempt_open: false };
    expect(await due()).toEqual([released, released]);
  });

  it('includes reserved slots where they are void, also where a later release would not', async () => {
    await insert(1, { hasSlot: true });
    await release(true);
    await release(false);

    await steps();

    expect(await due()).toEqual([{ integration: key.id, has_slot: false, attempt_open: false }]);
  });

  it('is not due before every process knows the change', async () => {
    await insert(1);
    await database().transaction((tx) => addRelease(tx, key, false));
    expect(await step()).toBe(false);
  });

  it('reads deliveries along their index', async () => {
    await insert(MANY);
    await insert(MANY, { integration: 'default' });
    await sql('analyze messaging.deliveries');
    await release();

    const runs = await runsOf(async () => {
      await countDeliveries(database(), key);
      await steps();
    });

    expect(runs.length).toBeGreaterThan(6);
    await database().transaction(async (tx) => {
      for (const [statement, values] of runs) await expectIndexed((text, given) => tx.query(text, given), statement, values);
    });
  });
});
