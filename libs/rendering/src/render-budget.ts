import { ServiceError } from '@tidings/contracts/core/errors';

/**
 * Steps one rendering may take: each piece of a text, each turn of a loop, each call of a helper is one, and long strings
 * cost one per `CHARS_PER_STEP` characters. A step takes well under a microsecond.
 */
const RENDER_STEPS_MAX = 2_000_000;
export const CHARS_PER_STEP = 64;

/**
 * Steps of a rendering that may be taken on a thread that others wait for, about a millisecond. A medium e-mail takes a few
 * hundred; a hop to another thread and back costs more than rendering it.
 */
const INLINE_STEPS_MAX = 10_000;
/**
 * What one rendering may read there for the first time, some ten milliseconds at worst: in characters of Markdown, and other
 * things for what they are worth in these.
 */
export const INLINE_READING_MAX = 20_000;

/** A budget for a thread that others wait for: what exceeds it ends with `BudgetSpent` and is rendered elsewhere. */
export function inlineBudget(): RenderBudget {
  return new RenderBudget(INLINE_STEPS_MAX, INLINE_READING_MAX);
}

/** The rendering took more steps, or read more, than it may. */
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

  /** @param readingLeft what may be read for the first time, as `INLINE_READING_MAX` counts; without a bound where nobody waits. */
  constructor(
    readonly stepsMax: number = RENDER_STEPS_MAX,
    private readingLeft = Infinity,
  ) {
    this.left = stepsMax;
  }

  /** Pays for reading something, which comes before reading it. False, and nothing paid, when it is too much. */
  mayRead(cost: number): boolean {
    if (cost > this.readingLeft) return false;
    this.readingLeft -= cost;
    return true;
  }

  /** The same, with `BudgetSpent` when it is too much. */
  spendReading(cost: number): void {
    if (!this.mayRead(cost)) throw new BudgetSpent(this.stepsMax);
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
