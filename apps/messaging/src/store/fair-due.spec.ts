import { randomUUID } from 'node:crypto';
import type { Statement } from '@tidings/persistence/database';
import { runsOf } from '@tidings/testing/runs-of';
import { Expansions } from '../expansion/expansion-store';
import { MessageWriter } from '../testing/message-writer';
import { Messaging } from '../testing/start-messaging';
import { FairTurns, ownerName } from './fair-due';
import { DeliveryLeases } from './lease-store';
import { OpenMessages } from './open-store';

const NORMAL = 1;
const LATER_ROWS = 200_000;
/** Far more owners than one look needs. */
const OWNERS = 400;
/** What a look for ten rows may come by. */
const VISITED_MAX = 300;

let messaging: Messaging;
let writer: MessageWriter;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start(); // which makes the tables; nobody else takes from them below
  await messaging.stop();
  writer = await MessageWriter.open(messaging.database.urlOf('messaging'));
});
afterEach(() => messaging.rows('truncate messaging.deliveries, messaging.open_messages, messaging.expansions, messaging.messages'));
afterAll(async () => {
  await writer.close();
  await messaging.end();
});

/** Deliveries of one owner, the first due `agoMs` ago, each of the next one a millisecond later. */
const deliveries = (workspaceId: string, count: number, agoMs: number): Promise<unknown> =>
  messaging.rows(
    `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
     select gen_random_uuid(), 0, $1, 'email', 'smtp', 0, false, clock_timestamp() - ($3 - number) * interval '1 millisecond'
     from generate_series(1, $2) as number`,
    [workspaceId, count, agoMs],
  );
const leases = (): DeliveryLeases => new DeliveryLeases(writer.database);
const workspaces = (count: number): string[] => Array.from({ length: count }, () => randomUUID()).sort();
const countsOf = (rows: readonly { workspace_id: string }[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { workspace_id } of rows) counts.set(workspace_id, (counts.get(workspace_id) ?? 0) + 1);
  return counts;
};

describe('what is due', () => {
  it('is taken oldest first, and what is due later is left', async () => {
    const [ada, bob, eve] = workspaces(3) as [string, string, string];
    await deliveries(ada, 3, 10_000);
    await deliveries(bob, 3, 20_000);
    await deliveries(eve, 3, -3_600_000);

    const rows = await leases().take(4, [], []);

    expect(countsOf(rows)).toEqual(
      new Map([
        [ada, 1],
        [bob, 3],
      ]),
    );
    expect(await leases().take(100, [], [])).toHaveLength(2);
    expect(await leases().nextDueMs([])).toBeGreaterThan(0);
  });

  it('is everybody’s in turn where one has far more than fits', async () => {
    const owners = workspaces(5);
    const [crowd, ...others] = owners as [string, ...string[]];
    await deliveries(crowd, 500, 3_600_000);
    for (const owner of others) await deliveries(owner, 3, 1_000);
    const mine = leases();

    expect(countsOf(await mine.take(40, [], []))).toEqual(new Map([[crowd, 40]])); // nothing told it that there are others
    const next = countsOf(await mine.take(40, [], []));

    for (const owner of others) expect(next.get(owner)).toBe(3);
    expect(next.get(crowd)).toBe(10);
  });

  it('comes round: whoever was not reached in one look is first in the next', async () => {
    const owners = workspaces(12);
    for (const owner of owners) await deliveries(owner, 50, 1_000);
    const mine = leases();
    await mine.take(10, [], []);

    const seen: string[] = [];
    for (let look = 0; look < 6; look += 1) seen.push(...countsOf(await mine.take(10, [], [])).keys());

    expect(new Set(seen.slice(0, owners.length))).toEqual(new Set(owners));
  });

  it('is left to those who have room', async () => {
    const [full, free] = workspaces(2) as [string, string];
    await deliveries(full, 50, 3_600_000);
    await deliveries(free, 2, 1_000);

    const rows = await leases().take(20, [], [ownerName({ workspaceId: full, lane: NORMAL })]);

    expect(countsOf(rows)).toEqual(new Map([[free, 2]]));
  });

  it('is one delivery of a message although another of it is held', async () => {
    const id = randomUUID();
    const insert = `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
                    select $1, leaf, $2, 'email', 'smtp', 0, false, clock_timestamp() from generate_series(0, 1) as leaf`;
    await messaging.rows(insert, [id, randomUUID()]);

    expect(await leases().nextDueMs([`${id}/0`])).toBeLessThanOrEqual(0);
    expect(await leases().take(10, [`${id}/0`], [])).toMatchObject([{ message_id: id, leaf: 1 }]);
  });

  it('is taken by one of two who look at the same time', async () => {
    const [owner] = workspaces(1) as [string];
    await deliveries(owner, 60, 1_000);

    const taken = await Promise.all(Array.from({ length: 6 }, () => leases().take(20, [], [])));

    const ids = taken.flat().map(({ message_id }) => message_id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await leases().take(100, [], []);
    expect(ids.length + rest.length).toBe(60);
  });
});

describe('a look', () => {
  interface PlanNode {
    'Node Type': string;
    'Actual Rows': number;
    'Actual Loops': number;
    'Rows Removed by Filter'?: number;
    Plans?: PlanNode[];
  }

  /** Rows that running the statement comes by, node by node. Its effects are undone. */
  async function visited({ text }: Statement, values: readonly unknown[]): Promise<number> {
    const undone = new Error('undone');
    let plan: PlanNode | undefined;
    const run = writer.database.transaction(async (tx) => {
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
    messaging.rows(
      `insert into messaging.${table} (workspace_id, lane, due_at, ${columns})
       select $1, 1, clock_timestamp() + (1 + number) * interval '1 minute', ${values} from generate_series(1, $2) as number`,
      [randomUUID(), LATER_ROWS],
    );
  const due = (table: string, columns: string, values: string, each: number) =>
    messaging.rows(
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
        const mine = leases();
        return { take: () => mine.take(10, [], []), nextDueMs: () => mine.nextDueMs([]) };
      },
    ],
    ...(['together', 'apart'] as const).map((kind): (typeof tables)[number] => [
      `open_messages`,
      ['message_id, stage, turn, state', `gen_random_uuid(), '${kind === 'apart' ? 'long' : 'delayed'}', 0, '{}'`],
      () => {
        const mine = new OpenMessages(writer.database, kind);
        return { take: () => mine.take(10), nextDueMs: () => mine.nextDueMs() };
      },
    ]),
    [
      'expansions',
      ['request_id, turn, request, progress', `gen_random_uuid(), 0, '{}', '{}'`],
      () => {
        const mine = new Expansions(writer.database);
        return { take: () => mine.take(10), nextDueMs: () => mine.nextDueMs() };
      },
    ],
  ];

  it.each(tables)(
    'at %s comes by no more than it takes, however much is due later or is due to others',
    async (table, [columns, values], open) => {
      await later(table, columns, values);
      const get: Parameters<typeof runsOf>[0]['get'] = <Provider>() => writer.database as Provider;
      const mine = open();
      const [nothing] = await runsOf({ get }, () => mine.take());
      await messaging.rows(`analyze messaging.${table}`);
      const forNothing = await visited(...nothing!);
      await due(table, columns, values, 8);
      if (table === 'open_messages') await messaging.rows(`${MESSAGES_OF_OPEN}; analyze messaging.messages`);
      await messaging.rows(`analyze messaging.${table}`);

      const runs = await runsOf({ get }, async () => {
        await mine.take(); // the oldest
        await mine.take(); // in turn
        await mine.nextDueMs();
      });

      expect(forNothing).toBeLessThan(VISITED_MAX);
      expect(runs.map(([{ name }]) => name)).toEqual([
        expect.stringContaining('oldest'),
        expect.stringContaining('in_turn'),
        expect.stringContaining('next'),
      ]);
      for (const [statement, given] of runs) {
        const count = await visited(statement, given);
        expect(`${statement.name} ${count <= VISITED_MAX ? 'few' : count}`).toBe(`${statement.name} few`);
      }
    },
  );
});

describe('turns', () => {
  const row = (workspace_id: string) => ({ workspace_id, lane: NORMAL });

  it('are not taken while everything that is due fits', async () => {
    const asked: (unknown[] | undefined)[] = [];
    const turns = new FairTurns();
    const none = (inTurn?: unknown[]) => Promise.resolve((asked.push(inTurn), []));
    await turns.take(10, [], none);
    await turns.take(10, [], none);
    expect(asked).toEqual([undefined, undefined]);
  });

  it('begin behind the last owner that was reached, and at the first one when the round is over', async () => {
    const turns = new FairTurns();
    const begins: unknown[] = [];
    const answers = [['a', 'a'], ['b', 'c'], ['d'], [], []];
    for (const answer of answers) {
      await turns.take(2, [], (inTurn) => Promise.resolve((begins.push(inTurn?.[0]), answer.map(row))));
    }
    const first = '00000000-0000-0000-0000-000000000000';
    expect(begins).toEqual([undefined, first, 'c', first, undefined]);
  });
});
