/**
 * What one filter may take for one person, in steps: a character that is searched for one value, or a value that is looked up
 * among the elements of an array. About a millisecond at worst, so that a workspace with a thousand audiences keeps nobody
 * waiting for long. Whether somebody is a member depends on it: it is counted the same wherever a filter is evaluated.
 */
export const EVALUATION_STEPS_MAX = 100_000;

/**
 * Texts up to so many UTF-16 units are searched for in linear time: V8's Boyer-Moore search knows how far it may shift by their
 * last 250 units, and takes quadratic time on longer ones.
 */
export const LINEAR_SEARCH_LENGTH_MAX = 250;

/** The steps of one evaluation. */
export class EvaluationBudget {
  /** Once true, nothing more is looked at. */
  exhausted = false;
  /** The condition at which the steps came to an end. */
  stoppedAt: string | undefined;
  spent = 0;

  /** Takes so many steps; false when there are not so many left, nor will be. */
  spend(steps: number): boolean {
    this.exhausted ||= this.spent + steps > EVALUATION_STEPS_MAX;
    if (!this.exhausted) this.spent += steps;
    return !this.exhausted;
  }
}
