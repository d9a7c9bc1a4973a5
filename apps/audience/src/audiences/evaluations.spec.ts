import { TURN_MS } from '@tidings/runtime/event-loop-yielder';
import type { ChangedPerson } from '../people/people.rows';
import { Evaluations, EvaluationsPending, TRANSACTION_STEPS_MAX } from './evaluations';
import type { Rule } from './filter/filter';
import { EVALUATION_STEPS_MAX } from './filter/evaluation-budget';
import type { Membership } from './membership-state';

const BIO = 'a'.repeat(10_000);
/** Takes more steps than allowed. */
const LONG: Rule = { operator: 'INCLUDES', path: ['bio'], values: ['b', ...Array.from({ length: 20 }, (_, n) => `b${n}`)] };
const SHORT: Rule = { operator: 'INCLUDES', path: ['bio'], values: ['a'] };
const MANY = (2 * TRANSACTION_STEPS_MAX) / EVALUATION_STEPS_MAX;

const changed = (userId: string, state = '1'): ChangedPerson => {
  const before = { profile: null, tenantIds: [] };
  return { userId, before, after: { profile: { bio: BIO }, tenantIds: [] }, state };
};
const memberships = (count: number): Membership[] =>
  Array.from({ length: count }, (_, n) => ({ id: String(n), version: 1, rule: n % 2 ? SHORT : LONG }));

it('defers evaluations beyond the limit of a transaction and completes them afterwards', async () => {
  const evaluations = new Evaluations();
  const requested = memberships(4 * MANY);

  evaluations.of(changed('ada'), requested);
  expect(() => evaluations.assertComplete()).toThrow(EvaluationsPending);
  await evaluations.complete(new AbortController().signal);
  const outcomes = evaluations.of(changed('ada'), requested).map(({ matches }) => matches);

  expect(() => evaluations.assertComplete()).not.toThrow();
  expect(outcomes).toEqual(requested.map(({ rule }) => rule === SHORT));
});

it('yields to the event loop', async () => {
  const evaluations = new Evaluations();
  evaluations.of(changed('ada'), memberships(4 * MANY));
  let nowMs = 0;
  const now = jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += TURN_MS / 2));
  let ticks = 0;
  let over = false;
  const others = (async () => {
    for (; !over; ticks++) await new Promise((resume) => setImmediate(resume));
  })();

  await evaluations.complete(new AbortController().signal);
  over = true;
  await others;
  now.mockRestore();

  expect(ticks).toBeGreaterThan(2);
});

it('evaluates a person again after a further change', () => {
  const evaluations = new Evaluations();
  const [membership] = memberships(2).slice(1) as [Membership];
  const other: ChangedPerson = { ...changed('ada', '2'), after: { profile: { bio: 'x' }, tenantIds: [] } };

  expect(evaluations.of(changed('ada'), [membership])[0]!.matches).toBe(true);
  expect(evaluations.of(other, [membership])[0]!.matches).toBe(false);
});

it('matches nothing without a profile, at no cost', () => {
  const deleted: ChangedPerson = { ...changed('ada'), after: { profile: null, tenantIds: ['acme'] } };

  expect(new Evaluations().of(deleted, memberships(1))).toEqual([{ matches: false, reason: 'The user has no profile' }]);
});
