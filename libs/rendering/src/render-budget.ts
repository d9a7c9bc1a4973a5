import { ServiceError } from '@tidings/contracts/core/errors';

/**
 * Steps of one rendering: each piece of a text, loop iteration and helper call is one, and long strings cost one per
 * `CHARS_PER_STEP` characters. A step takes well under a microsecond.
 */
const RENDER_STEPS_MAX = 2_000_000;
export const CHARS_PER_STEP = 64;

/**
 * Steps of a rendering on a shared thread such as the router's, about a millisecond. A medium e-mail takes a few hundred; a round
 * trip to another thread costs more than rendering it.
 */
const INLINE_STEPS_MAX = 10_000;
/**
 * Compilation budget of one rendering on such a thread, some ten milliseconds at worst: in characters of Markdown; other sources
 * are converted into this unit.
 */
export const INLINE_COMPILE_MAX = 20_000;

/** A budget for a shared thread: a rendering that exceeds it ends with `BudgetSpent` and moves to the pool. */
export function inlineBudget(): RenderBudget {
  return new RenderBudget(INLINE_STEPS_MAX, INLINE_COMPILE_MAX);
}

/** The rendering used more steps, or compiled more, than its budget allows. */
export class BudgetSpent extends ServiceError {
  constructor(stepsMax: number) {
    super('invalid_request', `render_timeout: rendering takes more than ${stepsMax} steps; loop over fewer items`);
  }
}

/**
 * Remaining work of a rendering. All repeatable work spends from it, so the time of a rendering is bounded for any template and
 * any data.
 */
export class RenderBudget {
  private left: number;

  /** @param compilationLeft compilation budget, in the unit of `INLINE_COMPILE_MAX`; unbounded by default. */
  constructor(
    readonly stepsMax: number = RENDER_STEPS_MAX,
    private compilationLeft = Infinity,
  ) {
    this.left = stepsMax;
  }

  /** Spends the cost of a compilation before it starts. False, and nothing spent, when it exceeds the rest. */
  trySpendCompilation(cost: number): boolean {
    if (cost > this.compilationLeft) return false;
    this.compilationLeft -= cost;
    return true;
  }

  /** Spends the cost of a compilation; throws `BudgetSpent` when it exceeds the rest. */
  spendCompilation(cost: number): void {
    if (!this.trySpendCompilation(cost)) throw new BudgetSpent(this.stepsMax);
  }

  /** Throws `BudgetSpent` when fewer steps remain. */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new BudgetSpent(this.stepsMax);
  }

  /** Spends the cost of handling a string. */
  spendChars(chars: number): void {
    this.spend(1 + Math.trunc(chars / CHARS_PER_STEP));
  }

  get spent(): number {
    return this.stepsMax - this.left;
  }
}

/** Maximum characters of one rendered part (subject, HTML or text). */
export const RENDERED_CHARS_MAX = 500_000;

/** Throws `payload_too_large` for the length of a part above `RENDERED_CHARS_MAX`. */
export function assertLength(length: number): void {
  if (length <= RENDERED_CHARS_MAX) return;
  throw new ServiceError('payload_too_large', `The rendered content has more than ${RENDERED_CHARS_MAX} characters`);
}
