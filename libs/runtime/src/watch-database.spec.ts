import { isDeepStrictEqual } from 'node:util';
import { Outbox } from '@tidings/persistence/outbox';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { waitUntil } from '@tidings/testing/wait-until';
import { Pool, type PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { metrics } from './metrics';
import type { RunningService } from './service';
import { watchDatabase } from './watch-database';

const SIZE = 'tidings_database_pool_size';
const NAMES = ['tidings_database_pool_in_use', 'tidings_database_pool_waiting', SIZE];

describe('the metrics of a database', () => {
  let database: TestDatabase;
  let pool: Pool;
  let end: () => void;

  /** The size of pools that other suites of the same process have left. */
  let otherSize: number;

  beforeEach(async () => {
    otherSize = (await valueOf(SIZE)) || 0;
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.adminUrl, max: 1 });
    const provided = new Map<unknown, unknown>([
      [DataSource, { driver: { master: pool } }],
      [Outbox, { oldestAge: () => Promise.resolve(42) }],
    ]);
    end = watchDatabase({ get: ((token: unknown) => provided.get(token)) as RunningService['get'] });
  });
  afterEach(async () => {
    end();
    await pool.end();
    await database.drop();
  });

  async function valueOf(name: string) {
    const text = await metrics.registry.metrics();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  }
  /** Waited for, since the other pools may still be in use for a moment. */
  const untilShown = (...expected: number[]) =>
    waitUntil(
      async () => {
        const [inUse, waiting, size] = (await Promise.all(NAMES.map(valueOf))) as [number, number, number];
        return isDeepStrictEqual([inUse, waiting, size - otherSize], expected);
      },
      { what: `${expected.join(', ')} in use, waiting, and at most` },
    );

  it('show connections in use, callers that wait and for how long, with both forms of checking out', async () => {
    const before = await valueOf('tidings_database_pool_wait_seconds_count');
    await untilShown(0, 0, 1);
    const first = await pool.connect();
    const second = new Promise<PoolClient>((resolve, reject) =>
      pool.connect((error, client) => (client ? resolve(client) : reject(error ?? new Error('no client')))),
    );

    await untilShown(1, 1, 1);
    first.release();
    (await second).release();

    await untilShown(0, 0, 1);
    expect(await valueOf('tidings_database_pool_wait_seconds_count')).toBe(before + 2);
    expect(await valueOf('tidings_outbox_oldest_age_seconds')).toBe(42);
  });
});
