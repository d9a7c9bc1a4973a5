import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from './embedded-postgres';
import { isRunning } from './process-table';

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(statement)).rows;
  } finally {
    await client.end();
  }
}

// Killed processes are tested in embedded-postgres.full.spec.ts.
it('the data of the embedded PostgreSQL survives a stop, which leaves no process', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'tidings-embedded-postgres-'));
  const directory = join(parent, 'postgres');
  try {
    const first = await EmbeddedPostgres.start({ directory, durable: false });
    await query(first.adminUrl, 'CREATE TABLE stored AS SELECT 7 AS n');
    await first.stop();
    expect(isRunning(first.pid)).toBe(false);

    const second = await EmbeddedPostgres.start({ directory, durable: false });
    try {
      await expect(query(second.adminUrl, 'SELECT n FROM stored')).resolves.toEqual([{ n: 7 }]);
    } finally {
      await second.stop();
    }
  } finally {
    rmSync(parent, { recursive: true });
  }
});
