import { parseArgs } from 'node:util';
import { AudienceWork } from './audience-work';
import { type Bench, describeRun, runBench } from './bench';
import { count } from './options';
import { Product } from './product';
import { figure, printTable, spread } from './report';
import { percentilesOf } from './statistics';
import { printTargets } from './targets';

const PEOPLE = 1_000_000;
const PEOPLE_MAX = 10_000_000;
/** People in the table while single profiles change. */
const FEW_PEOPLE = 10_000;
const AUDIENCES = 100;
const CHANGES = 500;
const CHANGES_MAX = 100_000;
const CALLERS = 2;
const ROUNDS_MAX = 20;
const PEOPLE_PER_SECOND_MIN = 20_000;
const REACH_MS_MAX = 1_000;

/**
 * Measures how long a change of one profile takes to reach 100 audiences, and how fast an audience of half of a million people is
 * rebuilt: first from empty, then with another filter that matches the same people.
 */
async function audience(bench: Bench): Promise<void> {
  const { people, changes, rounds } = parseAudienceOptions();
  console.log(describeRun());
  const product = await Product.start({ directory: bench.directory() });
  bench.atEnd('the product', () => product.stop());
  const work = await AudienceWork.on(product);
  bench.atEnd('the database connection', () => work.close());

  await work.fill(0, FEW_PEOPLE);
  const reached = await reachOf(work, changes);
  await work.fill(FEW_PEOPLE, people);
  const rebuilds = await rebuild(work, people, rounds);

  const { p50, p99, max } = percentilesOf(reached);
  printTable(
    `A PUT of a profile until its user is in, or out of, ${AUDIENCES} audiences; ${CALLERS} callers, ${figure(changes)} changes, ms`,
    ['', 'p50', 'p99', 'max'],
    [['in all of them', figure(p50), figure(p99), figure(max)]],
  );
  printTable(
    `An audience of half of ${figure(people)} people, from its PUT`,
    ['', 'people/s until served', 's until served', 's until all is published'],
    [
      ['first, every member is added', ...rowOf([rebuilds[0]!], people)],
      ['again, no member changes', ...rowOf(rebuilds.slice(1), people)],
    ],
  );
  printTargets([
    { what: 'people per second, first', values: [people / rebuilds[0]!.servedS], must: { atLeast: PEOPLE_PER_SECOND_MIN } },
    {
      what: 'people per second, again',
      values: rebuilds.slice(1).map(({ servedS }) => people / servedS),
      must: { atLeast: PEOPLE_PER_SECOND_MIN },
    },
    { what: 'p99 of a change', values: [p99], must: { atMost: REACH_MS_MAX }, unit: ' ms' },
  ]);
}

/** Milliseconds of each change, from its request until every audience has it. */
async function reachOf(work: AudienceWork, changes: number): Promise<number[]> {
  for (let n = 0; n < AUDIENCES; n++) {
    await work.put(`plan-${n}`, {
      operator: 'AND',
      filters: [
        { operator: 'EQ', path: 'plan', value: 'bench' },
        { operator: 'NEQ', path: 'city', value: `city-${n}` },
      ],
    });
  }
  await work.untilQuiet();
  const memberships = await work.memberships();
  const latencies: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let number = next++; number < changes; number = next++) {
      const userId = `user-${number >> 1}-${number & 1}`;
      const startedAt = performance.now();
      await work.replaceProfile(userId, { plan: 'bench', city: 'London', visits: number });
      await work.untilIn(memberships, userId, AUDIENCES);
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  for (let n = 0; n < AUDIENCES; n++) await work.remove(`plan-${n}`);
  await work.untilQuiet();
  return latencies;
}

interface Rebuild {
  servedS: number;
  publishedS: number;
}

async function rebuild(work: AudienceWork, people: number, rounds: number): Promise<Rebuild[]> {
  const rebuilds: Rebuild[] = [];
  for (let round = 0; round <= rounds; round++) {
    const startedAt = performance.now();
    // Another filter in each round that matches the same people.
    const visits = { operator: 'LT', path: 'visits', value: String(people + round) };
    await work.put('half', { operator: 'AND', filters: [{ operator: 'EQ', path: 'plan', value: 'gold' }, visits] });
    await work.untilServed('half');
    const servedS = (performance.now() - startedAt) / 1000;
    await work.untilQuiet();
    rebuilds.push({ servedS, publishedS: (performance.now() - startedAt) / 1000 });
    console.log(`rebuild ${round}: served after ${figure(servedS)} s, published after ${figure(rebuilds.at(-1)!.publishedS)} s`);
  }
  return rebuilds;
}

function rowOf(rebuilds: readonly Rebuild[], people: number): string[] {
  const of = (part: (one: Rebuild) => number): string => spread(rebuilds.map(part));
  return [of(({ servedS }) => people / servedS), of(({ servedS }) => servedS), of(({ publishedS }) => publishedS)];
}

function parseAudienceOptions(args = process.argv.slice(2)): { people: number; changes: number; rounds: number } {
  const { values } = parseArgs({
    args,
    options: { people: { type: 'string' }, changes: { type: 'string' }, rounds: { type: 'string' } },
  });
  return {
    people: count('people', values.people, PEOPLE, FEW_PEOPLE, PEOPLE_MAX),
    changes: count('changes', values.changes, CHANGES, 1, CHANGES_MAX),
    rounds: count('rounds', values.rounds, 3, 1, ROUNDS_MAX),
  };
}

runBench(audience);
