import { parseArgs } from 'node:util';
import { type Bench, describeRun, runBench } from './bench';
import { HttpConnection } from './http-connection';
import { count } from './options';
import { Product } from './product';
import { figure, printTable, spread } from './report';
import { measureQuery, type QueriedProduct } from './queries';
import { fill, queriesOf } from './scale-rows';
import type { Percentiles } from './statistics';
import { printTargets } from './targets';

const SMALL_USERS = 10_000;
const LARGE_USERS = 1_000_000;
const USERS_MAX = 10_000_000;
const ROUNDS_MAX = 50;
const PERIOD_MS_MAX = 60_000;
const CALLERS = 2;
/** How much slower an answer may be with a hundred times the rows. */
const RATIO_MAX = 2;
const HOST = '127.0.0.1';

/** Measures GETs with 10,000 and with 1,000,000 users, alternating: two products, each with its own PostgreSQL. */
async function scale(bench: Bench): Promise<void> {
  const { rounds, users, periodMs } = parseScaleOptions();
  console.log(describeRun());
  const small = await startSide(bench, SMALL_USERS);
  const large = await startSide(bench, users);

  const names = small.queries.map(({ name }) => name);
  const measured = names.map(() => ({ small: [] as Percentiles[], large: [] as Percentiles[] }));
  for (let round = -1; round < rounds; round++) {
    for (const index of names.keys()) {
      const [ofSmall, ofLarge] = [await measureQuery(small, index, periodMs), await measureQuery(large, index, periodMs)];
      if (round < 0) continue; // the first one warms up
      measured[index]!.small.push(ofSmall);
      measured[index]!.large.push(ofLarge);
    }
  }
  const of = (values: readonly Percentiles[], part: 'p50' | 'p99'): string => spread(values.map((value) => value[part]));
  printTable(
    `GET of ${CALLERS} callers, ${rounds} rounds of ${periodMs / 1000} s, alternating; ms, median (lowest–highest)`,
    ['', `p50 of ${figure(SMALL_USERS)}`, `p50 of ${figure(users)}`, `p99 of ${figure(SMALL_USERS)}`, `p99 of ${figure(users)}`],
    measured.map((both, index) => [
      names[index]!,
      of(both.small, 'p50'),
      of(both.large, 'p50'),
      of(both.small, 'p99'),
      of(both.large, 'p99'),
    ]),
  );
  printTargets(
    measured.map((both, index) => ({
      what: `p99 of ${names[index]!}, times that of ${figure(SMALL_USERS)}`,
      values: both.large.map(({ p99 }, round) => p99 / both.small[round]!.p99),
      must: { atMost: RATIO_MAX },
    })),
  );
}

async function startSide(bench: Bench, users: number): Promise<QueriedProduct> {
  const product = await Product.start({ directory: bench.directory() });
  bench.atEnd(`the product of ${users}`, () => product.stop());
  const startedAt = performance.now();
  await fill(product, users);
  console.log(
    `${figure(users)} profiles, twice as many tokens, as many memberships: inserted in ${figure((performance.now() - startedAt) / 1000)} s`,
  );
  const connections = Array.from({ length: CALLERS }, () => new HttpConnection(HOST, product.port));
  bench.atEnd('connections', () => connections.forEach((connection) => connection.close()));
  return { product, queries: await queriesOf(product, users), connections };
}

function parseScaleOptions(args = process.argv.slice(2)): { rounds: number; users: number; periodMs: number } {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string' }, users: { type: 'string' }, milliseconds: { type: 'string' } },
  });
  return {
    rounds: count('rounds', values.rounds, 5, 1, ROUNDS_MAX),
    users: count('users', values.users, LARGE_USERS, SMALL_USERS, USERS_MAX),
    periodMs: count('milliseconds', values.milliseconds, 1_000, 100, PERIOD_MS_MAX),
  };
}

runBench(scale);
