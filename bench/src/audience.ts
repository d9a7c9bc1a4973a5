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
/** Who is there while single profiles change. */
const FEW_PEOPLE = 10_000;
const AUDIENCES = 100;
const CHANGES = 500;
const CHANGES_MAX = 100_000;
const CALLERS = 2;
const ROUNDS_MAX = 20;
const PEOPLE_PER_SECOND_MIN = 20_000;
const REACH_MS_MAX = 1_000;

/**
 * How long a change of one profile takes to reach a hundred audiences, and how fast the members of an audience are determined anew
 * that has every second of a million people: the first time, when everybody comes in, and then with a filter that means the same people.
 */
async function audience(bench: Bench): Promise<void> {
  const { people, changes, rounds } = parseAudienceOptions();
  console.log(describeRun());
  const product = await Product.start({ directory: bench.directory() });
  bench.atEnd('the product', () => product.stop());
  const work = await AudienceWork.on(product);
  bench.atEnd('the look into the database', () => work.close());

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
    ['', 'people/s until served', 's until served', 's until everybody was told'],
    [
      ['first, everybody comes in', ...rowOf([rebuilds[0]!], people)],
      ['again, nobody changes', ...rowOf(rebuilds.slice(1), people)],
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

/** Milliseconds of each change from its request until it is in every audience. */
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
      const begunAt = performance.now();
      await work.replaceProfile(userId, { plan: 'bench', city: 'London', visits: number });
      await work.untilIn(memberships, userId, AUDIENCES);
      latencies.push(performance.now() - begunAt);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  for (let n = 0; n < AUDIENCES; n++) await work.remove(`plan-${n}`);
  await work.untilQuiet();
  return latencies;
}

interface Rebuild {
  servedS: number;
  toldS: number;
}

async function rebuild(work: AudienceWork, people: number, rounds: number): Promise<Rebuild[]> {
  const rebuilds: Rebuild[] = [];
  for (let round = 0; round <= rounds; round++) {
    const begunAt = performance.now();
    // Another filter each time, which means the same people.
    const visits = { operator: 'LT', path: 'visits', value: String(people + round) };
    await work.put('half', { operator: 'AND', filters: [{ operator: 'EQ', path: 'plan', value: 'gold' }, visits] });
    await work.untilServed('half');
    const servedS = (performance.now() - begunAt) / 1000;
    await work.untilQuiet();
    rebuilds.push({ servedS, toldS: (performance.now() - begunAt) / 1000 });
    console.log(`rebuild ${round}: served after ${figure(servedS)} s, told after ${figure(rebuilds.at(-1)!.toldS)} s`);
  }
  return rebuilds;
}

function rowOf(rebuilds: readonly Rebuild[], people: number): string[] {
  const of = (part: (one: Rebuild) => number): string => spread(rebuilds.map(part));
  return [of(({ servedS }) => people / servedS), of(({ servedS }) => servedS), of(({ toldS }) => toldS)];
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
