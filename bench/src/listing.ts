import { parseArgs } from 'node:util';
import { type Bench, describeRun, runBench } from './bench';
import { HttpConnection } from './http-connection';
import { fillMessages, listingQueries } from './listing-rows';
import { count } from './options';
import { Product } from './product';
import { measureQuery, type QueriedProduct } from './queries';
import { figure, printTable, spread } from './report';
import type { Percentiles } from './statistics';
import { printTargets } from './targets';

const FEW_MESSAGES = 100_000;
const MANY_MESSAGES = 1_000_000;
const MESSAGES_MAX = 20_000_000;
const ROUNDS_MAX = 50;
const PERIOD_MS_MAX = 60_000;
const CALLERS = 2;
/** How much slower a page may be with more messages. */
const RATIO_MAX = 2;
const HOST = '127.0.0.1';

/** Measures a page of messages among 100,000 of a year and among many more, alternating. */
async function listing(bench: Bench): Promise<void> {
  const { rounds, messages, periodMs } = parseListingOptions();
  console.log(describeRun());
  const few = await startSide(bench, FEW_MESSAGES);
  const many = await startSide(bench, messages);

  const names = few.queries.map(({ name }) => name);
  const measured = names.map(() => ({ few: [] as Percentiles[], many: [] as Percentiles[] }));
  for (let round = -1; round < rounds; round++) {
    for (const index of names.keys()) {
      const [ofFew, ofMany] = [await measureQuery(few, index, periodMs), await measureQuery(many, index, periodMs)];
      if (round < 0) continue; // the first one warms up
      measured[index]!.few.push(ofFew);
      measured[index]!.many.push(ofMany);
    }
  }
  const of = (values: readonly Percentiles[], part: 'p50' | 'p99'): string => spread(values.map((value) => value[part]));
  printTable(
    `GET /messages of ${CALLERS} callers, ${rounds} rounds of ${periodMs / 1000} s, alternating; ms, median (lowest–highest)`,
    ['', `p50 of ${figure(FEW_MESSAGES)}`, `p50 of ${figure(messages)}`, `p99 of ${figure(FEW_MESSAGES)}`, `p99 of ${figure(messages)}`],
    measured.map((both, index) => [names[index]!, of(both.few, 'p50'), of(both.many, 'p50'), of(both.few, 'p99'), of(both.many, 'p99')]),
  );
  printTargets(
    measured.map((both, index) => ({
      what: `p99 of ${names[index]!}, times that of ${figure(FEW_MESSAGES)}`,
      values: both.many.map(({ p99 }, round) => p99 / both.few[round]!.p99),
      must: { atMost: RATIO_MAX },
    })),
  );
}

async function startSide(bench: Bench, messages: number): Promise<QueriedProduct> {
  const product = await Product.start({ directory: bench.directory() });
  bench.atEnd(`the product of ${messages}`, () => product.stop());
  const startedAt = performance.now();
  const { cursor, traceId } = await fillMessages(product, messages);
  console.log(`${figure(messages)} messages of 52 weeks: inserted in ${figure((performance.now() - startedAt) / 1000)} s`);
  const connections = Array.from({ length: CALLERS }, () => new HttpConnection(HOST, product.port));
  bench.atEnd('connections', () => connections.forEach((connection) => connection.close()));
  return { product, queries: listingQueries(messages, { cursor, traceId }), connections };
}

function parseListingOptions(args = process.argv.slice(2)): { rounds: number; messages: number; periodMs: number } {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string' }, messages: { type: 'string' }, milliseconds: { type: 'string' } },
  });
  return {
    rounds: count('rounds', values.rounds, 5, 1, ROUNDS_MAX),
    messages: count('messages', values.messages, MANY_MESSAGES, FEW_MESSAGES, MESSAGES_MAX),
    periodMs: count('milliseconds', values.milliseconds, 1_000, 100, PERIOD_MS_MAX),
  };
}

runBench(listing);
