import { CONDITIONS } from './conditions';
import { type Filter, isGroup, type Rule } from './filter';
import { type Person, PreparedPerson } from './prepared-person';
import { Reason, ruleText } from './reason';
import { EVALUATION_STEPS_MAX, EvaluationBudget } from './evaluation-budget';

export type { Person } from './prepared-person';

export interface Evaluation {
  readonly matches: boolean;
  /** The conditions that were looked at, and what came of each; empty where there is no filter. At most `REASON_LENGTH_MAX` long. */
  readonly reason: string;
}

/**
 * Whether a person is a member of an audience with this filter, and why. Depends on its arguments alone and changes neither;
 * a person whom several filters are asked about is prepared once (`PreparedPerson`).
 *
 * A group is read in order until its outcome is certain. Without a filter nobody is a member: an audience that is still to
 * be described must not reach everyone. Where a filter takes more than `EVALUATION_STEPS_MAX` steps, the person is no member,
 * whatever the filter would say in the end, and the reason says so.
 */
export function evaluateFilter(filter: Filter | null, person: Person | PreparedPerson): Evaluation {
  if (filter === null) return NOBODY;
  const prepared = person instanceof PreparedPerson ? person : new PreparedPerson(person);
  const [reason, work] = [new Reason(), new EvaluationBudget()];
  const matches = checkOf(filter)(prepared, reason, work);
  prepared.steps += work.spent;
  return work.stoppedAt === undefined ? { matches, reason: reason.toString() } : { matches: false, reason: stopped(work.stoppedAt) };
}

const NOBODY: Evaluation = { matches: false, reason: '' };

const stopped = (ruleText: string): string =>
  `Not a member: the filter takes more than ${EVALUATION_STEPS_MAX} steps, given up at ${ruleText}`;

/** What it says once the work is exhausted means nothing. */
type Check = (person: PreparedPerson, reason: Reason, work: EvaluationBudget) => boolean;

/** A filter is read once and asked about every person: what follows from it alone is kept as long as it is. */
const checks = new WeakMap<Filter, Check>();

function checkOf(filter: Filter): Check {
  let check = checks.get(filter);
  if (!check) checks.set(filter, (check = makeCheck(filter)));
  return check;
}

function makeCheck(filter: Filter): Check {
  if (!isGroup(filter)) return ruleCheck(filter);
  const members = filter.filters.map(makeCheck);
  if (filter.operator === 'AND') return (person, reason, work) => members.every((check) => check(person, reason, work));
  return (person, reason, work) => members.some((check) => check(person, reason, work));
}

function ruleCheck(rule: Rule): Check {
  const holds = ruleHolds(rule);
  const text = ruleText(rule);
  const outcomes = { true: `${text} => true`, false: `${text} => false` };
  return (person, reason, work) => {
    if (work.stoppedAt !== undefined) return false;
    const matches = holds(person, work);
    if (work.exhausted) work.stoppedAt = text;
    reason.add(matches ? outcomes.true : outcomes.false);
    return matches;
  };
}

function ruleHolds({ operator, path, values }: Rule): (person: PreparedPerson, work: EvaluationBudget) => boolean {
  if (operator === 'MEMBER_OF') return ({ tenantIds }) => tenantIds.has(values[0]);
  const condition = CONDITIONS[operator](values);
  const place = path.join('.');
  return (person, work) => condition(person.attributeAt(place, path), work);
}
