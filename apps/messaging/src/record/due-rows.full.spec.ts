import { randomUUID } from 'node:crypto';
import type { Statement } from '@tidings/persistence/database';
import { runsOf } from '@tidings/testing/runs-of';
import { Expansions } from '../expand/expansion-store';
import { database, sql } from './idle-tables.fixture';
import { DeliveryLeases } from './delivery-store';
import { OpenMessages } from './open-store';

const LATER_ROWS = 200_000;
/** Far more owners than one poll needs. */
const OWNERS = 400;
/** Rows that a poll for ten rows may read. */
const VISITED_MAX = 300;

describe('a poll', () => {
  interface PlanNode {
    'Node Type': string;
    'Actual Rows': number;
    'Actual Loops': number;
    'Rows Removed by Filter'?: number;
    Plans?: PlanNode[];
  }

  /** The most rows that one plan node of the statement reads. Its effects are rolled back. */
  async function visited({ text }: Statement, values: readonly unknown[]): Promise<number> {
    const undone = new Error('undone');
    let plan: PlanNode | undefined;
    const run = database().transaction(async (tx) => {
      const [row] = await tx.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (analyze, format json) ${text}`, [...values]);
      plan = row!['QUERY PLAN'][0]!.Plan;
      throw undone;
    });
    await expect(run).rejects.toBe(undone);
    const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
    const counts = nodesOf(plan!).map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
    return Math.max(...counts);
  }

  const later = (table: string, columns: string, values: string) =>
    sql(
      `insert into messaging.${table} (workspace_id, lane, due_at, ${columns})
       select $1, 1, clock_timestamp() + (1 + number) * interval '1 minute', ${values} from generate_series(1, $2) as number`,
      [randomUUID(), LATER_ROWS],
    );
  const due = (table: string, columns: string, values: string, each: number) =>
    sql(
      `insert into messaging.${table} (workspace_id, lane, due_at, ${columns})
       select owner, 1, clock_timestamp() - interval '1 second', ${values}
       from (select gen_random_uuid() as owner, generate_series(1, $1)) owners, generate_series(1, $2) as number`,
      [OWNERS, each],
    );

  const MESSAGES_OF_OPEN = `
    insert into messaging.messages (workspace_id, id, status, recipient, event, notification, enqueued_at, last_number, last_event_at)
    select workspace_id, message_id, 'DELAYED', 'ada', '', '', 0, 1, 0 from messaging.open_messages where due_at < now()
    on conflict do nothing`;

  const tables: [string, [string, string], () => { take(): Promise<unknown[]>; nextDueMs(): Promise<number | undefined> }][] = [
    [
      'deliveries',
      ['message_id, leaf, channel, provider, attempt, attempt_open', `gen_random_uuid(), 0, 'email', 'smtp', 0, false`],
      () => {
        const leases = new DeliveryLeases(database());
        return { take: () => leases.claim(10, [], []), nextDueMs: () => leases.nextDueMs([]) };
      },
    ],
    ...(['together', 'apart'] as const).map((kind): (typeof tables)[number] => [
      `open_messages`,
      ['message_id, stage, turn, state', `gen_random_uuid(), '${kind === 'apart' ? 'long' : 'delayed'}', 0, '{}'`],
      () => {
        const openMessages = new OpenMessages(database(), kind);
        return { take: () => openMessages.claim(10), nextDueMs: () => openMessages.nextDueMs() };
      },
    ]),
    [
      'expansions',
      ['request_id, turn, request, progress', `gen_random_uuid(), 0, '{}', '{}'`],
      () => {
        const expansions = new Expansions(database());
        return { take: () => expansions.claim(10), nextDueMs: () => expansions.nextDueMs() };
      },
    ],
  ];

  it.each(tables)('of %s reads few rows, however many are due later or for other owners', async (table, [columns, values], open) => {
    await later(table, columns, values);
    const store = open();
    const [empty] = await runsOf(() => store.take());
    await sql(`analyze messaging.${table}`);
    const forEmpty = await visited(...empty!);
    await due(table, columns, values, 8);
    if (table === 'open_messages') await sql(`${MESSAGES_OF_OPEN}; analyze messaging.messages`);
    await sql(`analyze messaging.${table}`);

    const runs = await runsOf(async () => {
      await store.take(); // the oldest
      await store.take(); // round-robin
      await store.nextDueMs();
    });

    expect(forEmpty).toBeLessThan(VISITED_MAX);
    expect(runs.map(([{ name }]) => name)).toEqual([
      expect.stringContaining('oldest'),
      expect.stringContaining('round_robin'),
      expect.stringContaining('next'),
    ]);
    for (const [statement, given] of runs) {
      const count = await visited(statement, given);
      expect(`${statement.name} ${count <= VISITED_MAX ? 'few' : count}`).toBe(`${statement.name} few`);
    }
  });
});
