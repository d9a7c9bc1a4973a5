import { parseArgs } from 'node:util';
import { type Bench, describeRun, runBench } from './bench';
import { HttpConnection } from './http-connection';
import { fillMessages, listingQuestions } from './listing-rows';
import { count } from './options';
import { Product } from './product';
import { ask, type Asked } from './questions';
import { figure, printTable, spread } from './report';
import type { Percentiles } from './statistics';
import { printTargets } from './targets';

const FEW_MESSAGES = 100_000;
const MANY_MESSAGES = 1_000_000;
const MESSAGES_MAX = 20_000_000;
const ROUNDS_MAX = 50;
const STRETCH_MS_MAX = 60_000;
const CALLERS = 2;
/** How much slower a page may be where there are more messages. */
const RATIO_MAX = 2;
const HOST = '127.0.0.1';

/** What a page of messages takes where there are 100,000 of a year and where there are many more, in turns. */
async function listing(bench: Bench): Promise<void> {
  const { rounds, messages, stretchMs } = parseListingOptions();
  console.log(describeRun());
  const few = await startSide(bench, FEW_MESSAGES);
  const many = await startSide(bench, messages);

  const names = few.questions.map(({ name }) => name);
  const measured = names.map(() => ({ few: [] as Percentiles[], many: [] as Percentiles[] }));
  for (let round = -1; round < rounds; round++) {
    for (const index of names.keys()) {
      const [ofFew, ofMany] = [await ask(few, index, stretchMs), await ask(many, index, stretchMs)];
      if (round < 0) continue; // the first one warms up
      measured[index]!.few.push(ofFew);
      measured[index]!.many.push(ofMany);
    }
  }
  const of = (values: readonly Percentiles[], part: 'p50' | 'p99'): string => spread(values.map((value) => value[part]));
  printTable(
    `GET /messages of ${CALLERS} callers, ${rounds} rounds of ${stretchMs / 1000} s in turns; ms, median (lowest–highest)`,
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

async function startSide(bench: Bench, messages: number): Promise<Asked> {
  const product = await Product.start({ directory: bench.directory() });
  bench.atEnd(`the product of ${messages}`, () => product.stop());
  const begunAt = performance.now();
  const { cursor, traceId } = await fillMessages(product, messages);
  console.log(`${figure(messages)} messages of 52 weeks: filled in ${figure((performance.now() - begunAt) / 1000)} s`);
  const connections = Array.from({ length: CALLERS }, () => new HttpConnection(HOST, product.port));
  bench.atEnd('connections', () => connections.forEach((connection) => connection.close()));
  return { product, questions: listingQuestions(messages, { cursor, traceId }), connections };
}

function parseListingOptions(args = process.argv.slice(2)): { rounds: number; messages: number; stretchMs: number } {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string' }, messages: { type: 'string' }, milliseconds: { type: 'string' } },
  });
  return {
    rounds: count('rounds', values.rounds, 5, 1, ROUNDS_MAX),
    messages: count('messages', values.messages, MANY_MESSAGES, FEW_MESSAGES, MESSAGES_MAX),
    stretchMs: count('milliseconds', values.milliseconds, 1_000, 100, STRETCH_MS_MAX),
  };
}

runBench(listing);
