import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Bench, describeRun, runBench } from './bench';
import { HttpConnection } from './http-connection';
import { fillLists, listQueries, setsToSweep } from './list-rows';
import { count } from './options';
import { Product } from './product';
import { measureQuery, type QueriedProduct, request } from './queries';
import { figure, printTable, spread } from './report';
import type { Percentiles } from './statistics';
import { printTargets } from './targets';

const FEW_LISTS = 100;
const MANY_LISTS = 100_000;
const SUBSCRIBERS = 1_000_000;
const SUBSCRIBERS_MAX = 10_000_000;
const ROUNDS_MAX = 50;
const PERIOD_MS = 1_000;
const CALLERS = 2;
const HOST = '127.0.0.1';
/** Subscribers of one call: close to the 6 MB limit of a body. */
const PER_CALL = 180_000;
/** The sweeper runs every minute. */
const SWEPT_MS_MAX = 600_000;
const POLL_MS = 500;
const BIG = '/lists/big';

/** Measures requests among 100 and among 100,000 lists, alternating; then one list of a million subscribers. */
async function lists(bench: Bench): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string' }, subscribers: { type: 'string' } } });
  const rounds = count('rounds', values.rounds, 5, 1, ROUNDS_MAX);
  const subscribers = count('subscribers', values.subscribers, SUBSCRIBERS, PER_CALL, SUBSCRIBERS_MAX);
  console.log(describeRun());
  const few = await startSide(bench, FEW_LISTS);
  const many = await startSide(bench, MANY_LISTS);
  await compare(few, many, rounds);
  await bigList(few.product, subscribers);
}

async function startSide(bench: Bench, lists: number): Promise<QueriedProduct> {
  const product = await Product.start({ directory: bench.directory() });
  bench.atEnd(`the product of ${lists}`, () => product.stop());
  await fillLists(product, lists);
  const connections = Array.from({ length: CALLERS }, () => new HttpConnection(HOST, product.port));
  bench.atEnd('connections', () => connections.forEach((connection) => connection.close()));
  return { product, queries: listQueries(lists), connections };
}

async function compare(few: QueriedProduct, many: QueriedProduct, rounds: number): Promise<void> {
  const names = few.queries.map(({ name }) => name);
  const measured = names.map(() => ({ few: [] as Percentiles[], many: [] as Percentiles[] }));
  for (let round = -1; round < rounds; round++) {
    for (const index of names.keys()) {
      const [ofFew, ofMany] = [await measureQuery(few, index, PERIOD_MS), await measureQuery(many, index, PERIOD_MS)];
      if (round < 0) continue; // the first one warms up
      measured[index]!.few.push(ofFew);
      measured[index]!.many.push(ofMany);
    }
  }
  const of = (values: readonly Percentiles[], part: 'p50' | 'p99'): string => spread(values.map((value) => value[part]));
  printTable(
    `GET of ${CALLERS} callers, ${rounds} rounds of ${PERIOD_MS / 1000} s, alternating; ms, median (lowest–highest)`,
    ['', `p50 of ${figure(FEW_LISTS)}`, `p50 of ${figure(MANY_LISTS)}`, `p99 of ${figure(FEW_LISTS)}`, `p99 of ${figure(MANY_LISTS)}`],
    measured.map((both, index) => [names[index]!, of(both.few, 'p50'), of(both.many, 'p50'), of(both.few, 'p99'), of(both.many, 'p99')]),
  );
  printTargets(
    measured.map((both, index) => ({
      what: `p99 of ${names[index]!}, times that of ${figure(FEW_LISTS)}`,
      values: both.many.map(({ p99 }, round) => p99 / both.few[round]!.p99),
      must: { atMost: 2 },
    })),
  );
}

/** One list: adds all subscribers, pages through them, deletes, restores and replaces. */
async function bigList(product: Product, subscribers: number): Promise<void> {
  const rows: string[][] = [];
  const note = (what: string, ms: number, more = ''): void => void rows.push([what, `${figure(ms)} ms`, more]);
  const rate = (ms: number): string => `${figure((subscribers / ms) * 1000)}/s`;
  const write = (method: string, path: string, body?: string): Promise<number> => timed(() => request(product, path, { method, body }));

  const calls: number[] = [];
  for (let from = 0; from < subscribers; from += PER_CALL) {
    calls.push(await write('POST', `${BIG}/subscriptions`, bodyOf(from, Math.min(PER_CALL, subscribers - from))));
  }
  const added = calls.reduce((sum, ms) => sum + ms);
  note(`${figure(subscribers)} subscribers added, ${figure(PER_CALL)} a call`, added, rate(added));
  note('  the slowest of these calls', Math.max(...calls));

  const pages: number[] = [];
  let listed = 0;
  for (let path: string | undefined = `${BIG}/subscriptions`; path !== undefined;) {
    const current: string = path;
    let page = { items: [] as unknown[], paging: {} as { cursor?: string } };
    pages.push(await timed(async () => (page = (await request(product, current)) as typeof page)));
    listed += page.items.length;
    path = page.paging.cursor === undefined ? undefined : `${BIG}/subscriptions?cursor=${page.paging.cursor}`;
  }
  if (listed !== subscribers) throw new Error(`${listed} of ${subscribers} subscribers were listed`);
  const paged = pages.reduce((sum, ms) => sum + ms);
  pages.sort((one, other) => one - other);
  note(`all of them paged through, 100 a page`, paged, rate(paged));
  note('  p99 of a page', pages[Math.floor(pages.length * 0.99)]!);

  note('the list deleted', await write('DELETE', BIG));
  note('the list restored, its subscribers with it', await write('PUT', `${BIG}/restore`));
  note(`${figure(PER_CALL)} others put instead`, await write('PUT', `${BIG}/subscriptions`, bodyOf(subscribers, PER_CALL)));
  const swept = await timed(() => untilSwept(product));
  note('until the replaced subscribers are deleted, waiting included', swept);
  printTable('One list', ['', 'took', ''], rows);
}

function bodyOf(from: number, length: number): string {
  return JSON.stringify({ recipients: Array.from({ length }, (_, n) => ({ recipientId: `user-${String(from + n).padStart(8, '0')}` })) });
}

async function untilSwept(product: Product): Promise<void> {
  for (const until = performance.now() + SWEPT_MS_MAX; performance.now() < until; await delay(POLL_MS)) {
    if ((await setsToSweep(product)) === 0) return;
  }
  throw new Error(`Replaced subscribers were still stored after ${SWEPT_MS_MAX / 1000} s`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

runBench(lists);
