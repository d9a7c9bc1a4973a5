import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { figure, printTable } from './report';
import { ROOT } from './root';

const FILE = path.join(ROOT, 'bench/reached.json');
/** How much worse than reached a figure may be. */
const FACTOR = {
  counted: 1.05,
  /** Ratios to floors differ by a quarter between machines for one commit. */
  timed: 1.5,
};

export interface Figure {
  what: string;
  value: number;
  better: 'lower' | 'higher';
  kind: keyof typeof FACTOR;
}

/** The best value of a figure up to now, with a wider factor where the figure of one commit varies more. */
interface Reached {
  reached: number;
  factor?: number;
  reason?: string;
}

/** Compares figures with what was reached, and prints both. @returns how many passed, and a line for each fault */
export function compareWithReached(figures: readonly Figure[]): { passed: number; faults: string[] } {
  const reached = read();
  const faults = Object.keys(reached)
    .filter((name) => !figures.some(({ what }) => what === name))
    .map((name) => `${name}: not measured`);
  const rows = figures.map((one) => {
    const { what, value } = one;
    const best = reached[what];
    if (!best) {
      faults.push(`${what}: no value in bench/reached.json; -- check --write stores the measured ones`);
      return [what, figure(value), '–', '–', 'NEW'];
    }
    const { limit, isWithin } = limitOf(one, best);
    const sign = one.better === 'lower' ? '≤' : '≥';
    if (!isWithin)
      faults.push(`${what}: ${figure(value)} measured, ${sign} ${figure(limit)} required, ${figure(best.reached)} reached before`);
    return [what, figure(value), figure(best.reached), `${sign} ${figure(limit)}`, isWithin ? '' : 'WORSE'];
  });
  printTable('Figures beside what was reached before', ['', 'measured', 'reached', 'limit', ''], rows);
  return { passed: rows.filter((row) => row.at(-1) === '').length, faults };
}

/** Whether a figure is worse than its limit; one without a limit is not. */
export function isWorse(one: Figure): boolean {
  const best = read()[one.what];
  return best !== undefined && !limitOf(one, best).isWithin;
}

/** The better one of two measurements of the same. */
export function betterOf(one: Figure, other: Figure): Figure {
  const isOther = one.better === 'lower' ? other.value < one.value : other.value > one.value;
  return isOther ? other : one;
}

function limitOf({ value, better, kind }: Figure, { reached, factor = FACTOR[kind] }: Reached): { limit: number; isWithin: boolean } {
  const limit = better === 'lower' ? reached * factor : reached / factor;
  return { limit, isWithin: better === 'lower' ? value <= limit : value >= limit };
}

/** Stores the measured values as reached; factors and reasons stay. */
export function writeReached(figures: readonly Figure[]): void {
  const before = read();
  const after = Object.fromEntries(figures.map(({ what, value }) => [what, { ...before[what], reached: Number(value.toPrecision(4)) }]));
  writeFileSync(FILE, `${JSON.stringify(after, null, 2)}\n`);
}

function read(): Record<string, Reached> {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Reached>;
}
