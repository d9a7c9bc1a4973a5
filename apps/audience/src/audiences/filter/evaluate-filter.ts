import { CONDITIONS } from './conditions';
import { type Filter, isGroup, type Rule } from './filter';
import { type Person, PreparedPerson } from './prepared-person';
import { Reason, ruleText } from './reason';
import { EVALUATION_STEPS_MAX, EvaluationBudget } from './evaluation-budget';

export type { Person } from './prepared-person';

/** Whether a person is a member, and why. */
export interface Evaluation {
  readonly matches: boolean;
  /** The evaluated conditions with their outcomes; empty without a filter. At most `REASON_LENGTH_MAX` long. */
  readonly reason: string;
}

/**
 * Whether a person is a member of an audience with this filter, and why. Depends on its arguments only; changes neither filter
 * nor person. For several filters, prepare the person once (`PreparedPerson`).
 *
 * A group is evaluated in order until its outcome is certain. A null filter matches no one: an audience without filter must not
 * reach everyone. A filter that takes more than `EVALUATION_STEPS_MAX` steps does not match, and the reason states this.
 */
export function evaluateFilter(filter: Filter | null, person: Person | PreparedPerson): Evaluation {
  if (filter === null) return NO_MATCH;
  const prepared = person instanceof PreparedPerson ? person : new PreparedPerson(person);
  const [reason, budget] = [new Reason(), new EvaluationBudget()];
  const matches = checkOf(filter)(prepared, reason, budget);
  prepared.steps += budget.spent;
  return budget.stoppedAt === undefined ? { matches, reason: reason.toString() } : { matches: false, reason: stopped(budget.stoppedAt) };
}

/** No match, without a condition that was evaluated. */
export const NO_MATCH: Evaluation = { matches: false, reason: '' };

const stopped = (ruleText: string) => `Not a member: the filter takes more than ${EVALUATION_STEPS_MAX} steps, stopped at ${ruleText}`;

/** Its result is meaningless once the budget is exhausted. */
type Check = (person: PreparedPerson, reason: Reason, budget: EvaluationBudget) => boolean;

/** A filter is compiled once for all people; the cache entry lives as long as the filter. */
const checks = new WeakMap<Filter, Check>();

function checkOf(filter: Filter) {
  let check = checks.get(filter);
  if (!check) checks.set(filter, (check = makeCheck(filter)));
  return check;
}

function makeCheck(filter: Filter): Check {
  if (!isGroup(filter)) return ruleCheck(filter);
  const members = filter.filters.map(makeCheck);
  if (filter.operator === 'AND') return (person, reason, budget) => members.every((check) => check(person, reason, budget));
  return (person, reason, budget) => members.some((check) => check(person, reason, budget));
}

function ruleCheck(rule: Rule): Check {
  const { operator, path, values } = rule;
  const condition = operator === 'MEMBER_OF' ? undefined : CONDITIONS[operator](values);
  const key = path.join('.');
  const text = ruleText(rule);
  return (person, reason, budget) => {
    if (budget.stoppedAt !== undefined) return false;
    const matches = condition ? condition(person.attributeAt(key, path), budget) : person.tenantIds.has(values[0]);
    if (budget.exhausted) budget.stoppedAt = text;
    reason.add(`${text} => ${matches}`);
    return matches;
  };
}
