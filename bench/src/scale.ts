import { parseArgs } from 'node:util';
import { type Bench, describeRun, runBench } from './bench';
import { HttpConnection } from './http-connection';
import { count } from './options';
import { Product } from './product';
import { figure, printTable, spread } from './report';
import { ask, type Asked } from './questions';
import { fill, questionsOf } from './scale-rows';
import type { Percentiles } from './statistics';
import { printTargets } from './targets';

const SMALL_USERS = 10_000;
const LARGE_USERS = 1_000_000;
const USERS_MAX = 10_000_000;
const ROUNDS_MAX = 50;
const STRETCH_MS_MAX = 60_000;
const CALLERS = 2;
/** How much slower an answer may be where there is a hundred times as much. */
const RATIO_MAX = 2;
const HOST = '127.0.0.1';

/** What a GET takes with 10,000 users and with 1,000,000, in turns: two products side by side, each with its own PostgreSQL. */
async function scale(bench: Bench): Promise<void> {
  const { rounds, users, stretchMs } = parseScaleOptions();
  console.log(describeRun());
  const small = await startSide(bench, SMALL_USERS);
  const large = await startSide(bench, users);

  const names = small.questions.map(({ name }) => name);
  const measured = names.map(() => ({ small: [] as Percentiles[], large: [] as Percentiles[] }));
  for (let round = -1; round < rounds; round++) {
    for (const index of names.keys()) {
      const [ofSmall, ofLarge] = [await ask(small, index, stretchMs), await ask(large, index, stretchMs)];
      if (round < 0) continue; // the first one warms up
      measured[index]!.small.push(ofSmall);
      measured[index]!.large.push(ofLarge);
    }
  }
  const of = (values: readonly Percentiles[], part: 'p50' | 'p99'): string => spread(values.map((value) => value[part]));
  printTable(
    `GET of ${CALLERS} callers, ${rounds} rounds of ${stretchMs / 1000} s in turns; ms, median (lowest–highest)`,
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

async function startSide(bench: Bench, users: number): Promise<Asked> {
  const product = await Product.start({ directory: bench.directory() });
  bench.atEnd(`the product of ${users}`, () => product.stop());
  const begunAt = performance.now();
  await fill(product, users);
  console.log(
    `${figure(users)} profiles, twice as many tokens, as many memberships: filled in ${figure((performance.now() - begunAt) / 1000)} s`,
  );
  const connections = Array.from({ length: CALLERS }, () => new HttpConnection(HOST, product.port));
  bench.atEnd('connections', () => connections.forEach((connection) => connection.close()));
  return { product, questions: await questionsOf(product, users), connections };
}

function parseScaleOptions(args = process.argv.slice(2)): { rounds: number; users: number; stretchMs: number } {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string' }, users: { type: 'string' }, milliseconds: { type: 'string' } },
  });
  return {
    rounds: count('rounds', values.rounds, 5, 1, ROUNDS_MAX),
    users: count('users', values.users, LARGE_USERS, SMALL_USERS, USERS_MAX),
    stretchMs: count('milliseconds', values.milliseconds, 1_000, 100, STRETCH_MS_MAX),
  };
}

runBench(scale);
