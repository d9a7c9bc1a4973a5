/**
 * Steps of one filter for one person. A step is a character searched for one value, or a value looked up among an array's
 * elements. About a millisecond at worst, so that a workspace with a thousand audiences does not delay others for long.
 * Membership depends on it, so all evaluations count steps alike.
 */
export const EVALUATION_STEPS_MAX = 100_000;

/**
 * UTF-16 units of a text that is searched for in linear time: V8's Boyer-Moore search builds its shift table from the last 250
 * units and takes quadratic time for longer texts.
 */
export const LINEAR_SEARCH_LENGTH_MAX = 250;

/** The steps of one evaluation. */
export class EvaluationBudget {
  /** Once true, evaluation stops. */
  exhausted = false;
  /** The condition at which the budget was exhausted. */
  stoppedAt: string | undefined;
  spent = 0;

  /** Spends steps; false, from then on always, when too few are left. */
  spend(steps: number) {
    this.exhausted ||= this.spent + steps > EVALUATION_STEPS_MAX;
    if (!this.exhausted) this.spent += steps;
    return !this.exhausted;
  }
}
