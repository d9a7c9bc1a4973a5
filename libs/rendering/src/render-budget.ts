import { ServiceError } from '@tidings/contracts/core/errors';

/**
 * Steps one rendering may take: each piece of a text, each turn of a loop, each call of a helper is one, and long strings
 * cost one per `CHARS_PER_STEP` characters. A step takes well under a microsecond.
 */
export const RENDER_STEPS_MAX = 2_000_000;
export const CHARS_PER_STEP = 64;

/** The rendering took more steps than it may. */
export class BudgetSpent extends ServiceError {
  constructor(stepsMax: number) {
    super('invalid_request', `render_timeout: rendering takes more than ${stepsMax} steps; loop over fewer items`);
  }
}

/**
 * What is left of the work a rendering may do. Everything that can repeat spends from it, so the time of a rendering is
 * bounded whatever its template says and whatever its data holds.
 */
export class RenderBudget {
  private left: number;

  constructor(readonly stepsMax: number = RENDER_STEPS_MAX) {
    this.left = stepsMax;
  }

  /** Throws `BudgetSpent` when there is less left. */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new BudgetSpent(this.stepsMax);
  }

  /** Pays for handling a string. */
  spendChars(chars: number): void {
    this.spend(1 + Math.trunc(chars / CHARS_PER_STEP));
  }

  get spent(): number {
    return this.stepsMax - this.left;
  }
}
