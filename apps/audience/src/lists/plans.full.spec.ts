import { randomUUID } from 'node:crypto';
import { profileLists } from '@tidings/contracts/audience/profile-lists';
import { contextOf } from '@tidings/testing/context-of';
import { expectIndexed } from '@tidings/testing/explain';
import { runsOf } from '@tidings/testing/runs-of';
import type { TestService } from '@tidings/testing/service';
import { SCANNED_ROWS_MAX } from '../list-members/list-members.handlers';
import { listsOf } from '../testing/lists';
import { startAudience } from '../testing/start-audience';
import { SetSweeper } from './set-sweeper';

const ROWS = 20_000;
const context = contextOf(randomUUID());
const { workspaceId } = context;

let audience: TestService;
const call: TestService['call'] = (...parameters) => audience.call(...parameters);
const ours = () => listsOf(audience, context);

beforeAll(async () => {
  audience = await startAudience();
  await fill();
});
afterAll(() => audience.stop());

/** Lists `l<n>.x` and `l<n>`; user `all` is on every list, list `big` has every user. Some lists are deleted, some sets dropped. */
async function fill(): Promise<void> {
  for (const insert of [
    `insert into lists (workspace_id, list_id, name, set_id, deleted_at)
     select $1, id, 'List', n, case when n % 20 = 0 then now() end
       from generate_series(1, ${ROWS}) n, lateral (select case when n = 1 then 'big' when n % 2 = 0 then 'l' || n || '.x' else 'l' || n end as id) named`,
    `insert into list_patterns (workspace_id, pattern, list_id)
     select $1::uuid, 'some.*', id from unnest(array['big'] || array(select 'l' || n from generate_series(3, 49, 2) n)) id`,
    `insert into list_patterns (workspace_id, pattern, list_id)
     select workspace_id, pattern, list_id from lists,
            unnest(case when list_id like '%.x' then array[list_id, '*.x', '*.*', split_part(list_id, '.', 1) || '.*', split_part(list_id, '.', 1) || '.**']
                        else array[list_id, '*'] end) pattern
      where deleted_at is null and workspace_id = $1`,
    `insert into subscriber_sets (workspace_id, set_id, list_id, dropped_at) overriding system value
     select workspace_id, set_id, list_id, null from lists where workspace_id = $1
      union all select $1, ${ROWS} + n, 'l7', now() from generate_series(1, 10) n`,
    `insert into subscriptions (workspace_id, set_id, user_id, list_id)
     select workspace_id, set_id, 'all', list_id from lists where workspace_id = $1
      union all select $1, 1, 'u' || n, 'big' from generate_series(1, ${ROWS}) n
      union all select $1, ${ROWS} + 1, 'u' || n, 'l7' from generate_series(1, 100) n`,
    `select setval(pg_get_serial_sequence('subscriber_sets', 'set_id'), ${ROWS} + 100), $1::uuid`,
  ]) {
    await audience.sql(insert, [workspaceId]);
  }
  await audience.sql('analyze', []);
}

const middleOf = async (page: (cursor?: string) => Promise<{ paging: { cursor?: string } }>): Promise<void> => {
  await page((await page()).paging.cursor);
};

describe.each<[string, () => Promise<unknown>]>([
  ['listing lists', () => middleOf((cursor) => ours().page(undefined, cursor))],
  ['listing a pattern of half of them', () => middleOf((cursor) => ours().page('*.x', cursor))],
  ['listing a pattern of one', () => ours().page('l2.*')],
  ['getting a list', () => ours().get('l4.x')],
  ['making a list', () => ours().put('new.one')],
  ['putting a list', () => ours().put('l4.x')],
  [
    'deleting and restoring a list',
    async () => {
      await ours().remove('l6.x');
      await ours().restore('l6.x');
    },
  ],
  ['creating a deleted list again', () => ours().put('l20.x')],
  ['listing subscribers', () => middleOf((cursor) => ours().subscriptions('big', cursor))],
  ['adding subscribers', () => ours().add('big', 'u1', 'x1')],
  ['replacing subscribers', () => ours().replace('l9', 'u1', 'x1')],
  ['subscribing', () => ours().subscribe('big', 'x2')],
  ['unsubscribing', () => ours().unsubscribe('big', 'u9')],
  ['listing the lists of a user', () => middleOf((cursor) => call(profileLists.list, context, { user_id: 'all', cursor }))],
  [
    'subscribing a user to lists',
    () => call(profileLists.subscribe, context, { user_id: 'u5', lists: ['l3', 'l8.x', 'made'].map((listId) => ({ listId })) }),
  ],
  ['ending all subscriptions of a user', () => call(profileLists.removeAll, context, { user_id: 'u6' })],
  [
    'the members of a list',
    async () => {
      const { cursor } = await ours().members('big');
      await ours().members('big', undefined, cursor);
    },
  ],
  ['the members of a pattern of one list', () => ours().membersOfPattern('l2.*')],
  ['the members of a pattern of some lists, one of which has all users', () => ours().membersOfPattern('some.*')],
  ['sweeping', () => audience.get(SetSweeper).sweep()],
])('%s', (_, work) => {
  it('uses an index for every table', async () => {
    const runs = await runsOf(work);

    expect(runs.length).toBeGreaterThan(0);
    for (const [statement, values] of runs) await expectIndexed(audience.sql, statement, values);
  });
});

it('reads the members of a pattern of many lists in bounded pieces, also within the subscriptions of one user', async () => {
  await audience.sql(
    `insert into subscriptions (workspace_id, set_id, user_id, list_id)
     select $1::uuid, 1, 'aa' || n, 'big' from generate_series(1, ${SCANNED_ROWS_MAX}) n
      union all select $1, 900000 + n, 'all', 'a' || n from generate_series(1, ${SCANNED_ROWS_MAX}) n`,
    [workspaceId],
  );
  const pages: string[][][] = [];
  const cursors: (string | undefined)[] = [];
  let cursor: string | undefined;
  const runs = await runsOf(async () => {
    do {
      const page = await ours().membersOfPattern('*.x', undefined, cursor);
      pages.push(page.members.map((member) => [member.user_id, member.list_id]));
      cursors.push(({ cursor } = page).cursor);
    } while (cursor !== undefined);
  });

  expect(pages.flat()).toEqual([
    ['all', 'l10.x'],
    ['u5', 'l8.x'],
  ]);
  expect(pages.length).toBeGreaterThan(3);
  for (const [statement, values] of runs) {
    if (statement.name.startsWith('list-members-of-many'))
      expect(await rowsRead(statement.text, values)).toBeLessThan(5 * SCANNED_ROWS_MAX);
  }

  // The second page ended within what one user is subscribed to; the rest is found also where few lists are left meanwhile.
  await audience.sql("delete from list_patterns where workspace_id = $1 and pattern = '*.x' and list_id <> 'l10.x'", [workspaceId]);
  await expect(ours().membersOfPattern('*.x', undefined, cursors[1])).resolves.toMatchObject({
    members: [{ user_id: 'all' }],
    more: false,
  });
});

/** Rows that PostgreSQL took from tables and indexes to run the statement. */
async function rowsRead(text: string, values: readonly unknown[]): Promise<number> {
  interface Node {
    'Node Type': string;
    'Actual Rows': number;
    'Actual Loops': number;
    Plans?: Node[];
  }
  const [row] = await audience.sql<{ 'QUERY PLAN': [{ Plan: Node }] }>(`explain (analyze, format json) ${text}`, [...values]);
  const sum = (node: Node): number =>
    (/Scan/.test(node['Node Type']) && !/CTE|Subquery/.test(node['Node Type']) ? node['Actual Rows'] * node['Actual Loops'] : 0) +
    (node.Plans ?? []).reduce((total, plan) => total + sum(plan), 0);
  return sum(row!['QUERY PLAN'][0].Plan);
}
