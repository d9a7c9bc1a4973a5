import { figure, printTable, spread } from './report';
import { spreadOf } from './statistics';

/** Something a bench was made to find out. */
export interface Target {
  what: string;
  /** One of each round; the median is what counts. */
  values: readonly number[];
  /** What must be reached: at least, or at most. */
  must: { atLeast: number } | { atMost: number };
  /** What would be good. */
  aim?: number;
  unit?: string;
}

/** Prints what was to be reached beside what was. A bench does not fail for it: machines differ, and so do rounds. */
export function printTargets(targets: readonly Target[]): void {
  printTable('Targets, judged by the median of the rounds', ['', 'measured', 'must', 'aim', ''], targets.map(row));
}

function row({ what, values, must, aim, unit = '' }: Target): string[] {
  const { median } = spreadOf(values);
  const reaches = (bound: number) => ('atLeast' in must ? median >= bound : median <= bound);
  const [sign, bound] = 'atLeast' in must ? ['≥', must.atLeast] : ['≤', must.atMost];
  const verdict = !reaches(bound) ? 'MISSED' : aim !== undefined && reaches(aim) ? 'reached, aim too' : 'reached';
  return [what, `${spread(values)}${unit}`, `${sign} ${figure(bound)}${unit}`, aim === undefined ? '' : `${figure(aim)}${unit}`, verdict];
}
