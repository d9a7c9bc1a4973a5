import { figure, printTable, spread } from './report';
import { spreadOf } from './statistics';

/** A figure of a bench with its required bound. */
export interface Target {
  what: string;
  /** One value per round; the median is judged. */
  values: readonly number[];
  /** Required bound of the median. */
  must: { atLeast: number } | { atMost: number };
  /** Desired bound. */
  aim?: number;
  unit?: string;
}

/** Prints targets and measured values. A missed target does not fail the bench, because machines and rounds differ. */
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
