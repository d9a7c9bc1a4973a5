import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { openDataSource } from '@tidings/persistence/data-source';
import { Database, statement } from '@tidings/persistence/database';
import { provisionDatabase } from '@tidings/persistence/provision';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import { Column, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';
import { BENCH_WORKSPACE } from './bench-log';
import { type Bench, describeRun, runBench } from './bench';
import { printTable, spread } from './report';

Logger.overrideLogger(['error', 'fatal', 'warn']);

const ROWS = 20_000;
const ROUNDS = 9;
const ROUND_MS = 500;

class CreateNotes1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table notes (
      workspace_id uuid not null, id text collate "C" not null, name text not null, preferences jsonb,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now(), primary key (workspace_id, id))`);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table notes');
  }
}

@Entity('notes')
class Note {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;
  @Column('text')
  name!: string;
  @Column('jsonb', { nullable: true })
  preferences!: object | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

// SQL because the benchmark compares it with a repository.
const RETRIEVE = statement(
  'crud-retrieve',
  'select id, name, preferences, created_at, updated_at from notes where workspace_id = $1 and id = $2',
);
const UPDATE = statement(
  'crud-update',
  'update notes set name = $3, preferences = $4, updated_at = now() where workspace_id = $1 and id = $2',
);

interface Cost {
  /** µs from call to answer, one caller. */
  elapsed: number[];
  /** µs of this process's CPU. */
  cpu: number[];
}

/** A read and a write of one row by key, each as a prepared statement and through TypeORM, alternating. */
async function crud(bench: Bench): Promise<void> {
  const server = await EmbeddedPostgres.start({ directory: bench.directory(), durable: false });
  bench.atEnd('PostgreSQL', () => server.stop());
  const { content: databaseUrl } = await provisionDatabase(server.adminUrl);
  const dataSource = await openDataSource({ schema: 'content', databaseUrl, entities: [Note], migrations: [CreateNotes1700000000001] });
  bench.atEnd('the data source', () => dataSource.destroy());
  const database = new Database(dataSource);
  const notes = dataSource.getRepository(Note);
  await database.execute(
    `insert into notes (workspace_id, id, name, preferences) select $1, 'n' || n, 'Name', '{"categories":{}}' from generate_series(1, ${ROWS}) n`,
    [BENCH_WORKSPACE],
  );
  await database.execute('analyze notes');

  let next = 0;
  const id = (): string => `n${(next = (next % ROWS) + 1)}`;
  const name = 'Another name';
  const preferences = { categories: { news: { status: 'OPTED_OUT' } } };
  const workspaceId = BENCH_WORKSPACE;
  const contestants: Record<string, () => Promise<unknown>> = {
    'read, statement': () => database.query(RETRIEVE, [workspaceId, id()]),
    'read, repository': () => notes.findOneBy({ workspaceId, id: id() }),
    'write, statement': () => database.transaction((tx) => tx.execute(UPDATE, [workspaceId, id(), name, JSON.stringify(preferences)])),
    'write, entity manager': () =>
      database.transaction(({ manager }) =>
        manager.update(Note, { workspaceId, id: id() }, { name, preferences, updatedAt: () => 'now()' }),
      ),
  };
  const costs: { title: string; run: () => Promise<unknown>; cost: Cost }[] = Object.entries(contestants).map(([title, run]) => ({
    title,
    run,
    cost: { elapsed: [], cpu: [] },
  }));
  for (let round = -1; round < ROUNDS; round++) {
    for (const { run, cost } of costs) {
      const measured = await measure(run);
      if (round < 0) continue; // the first one warms up
      cost.elapsed.push(measured.elapsed);
      cost.cpu.push(measured.cpu);
    }
  }
  console.log(describeRun());
  printTable(
    `One row by key, one caller, ${ROUNDS} rounds of ${ROUND_MS} ms, alternating; µs each, median (lowest–highest)`,
    ['', 'elapsed', 'CPU of the process'],
    costs.map(({ title, cost }) => [title, spread(cost.elapsed), spread(cost.cpu)]),
  );
}

async function measure(run: () => Promise<unknown>): Promise<{ elapsed: number; cpu: number }> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let calls = 0;
  for (; performance.now() - startedAt < ROUND_MS; calls += 1) await run();
  const { user, system } = process.cpuUsage(before);
  return { elapsed: (1_000 * (performance.now() - startedAt)) / calls, cpu: (user + system) / calls };
}

runBench(crud);
