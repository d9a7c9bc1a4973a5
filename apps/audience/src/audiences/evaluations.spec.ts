import { TURN_MS } from '@tidings/runtime/event-loop-yielder';
import type { ChangedPerson } from '../people/people.rows';
import { Evaluations, EvaluationsOpen, TRANSACTION_STEPS_MAX } from './evaluations';
import type { Rule } from './filter/filter';
import { EVALUATION_STEPS_MAX } from './filter/evaluation-budget';
import type { Membership } from './membership-state';

const BIO = 'a'.repeat(10_000);
/** Takes more steps than it may. */
const LONG: Rule = { operator: 'INCLUDES', path: ['bio'], values: ['b', ...Array.from({ length: 20 }, (_, n) => `b${n}`)] };
const SHORT: Rule = { operator: 'INCLUDES', path: ['bio'], values: ['a'] };
const MANY = (2 * TRANSACTION_STEPS_MAX) / EVALUATION_STEPS_MAX;

const changed = (userId: string, state = '1'): ChangedPerson => {
  const before = { profile: null, tenantIds: [] };
  return { userId, before, after: { profile: { bio: BIO }, tenantIds: [] }, state };
};
const memberships = (count: number): Membership[] =>
  Array.from({ length: count }, (_, n) => ({ id: String(n), version: 1, rule: n % 2 ? SHORT : LONG }));

it('leaves open what would keep a transaction waiting, and has it afterwards', async () => {
  const evaluations = new Evaluations();
  const asked = memberships(4 * MANY);

  evaluations.of(changed('ada'), asked);
  expect(() => evaluations.assertComplete()).toThrow(EvaluationsOpen);
  await evaluations.complete(new AbortController().signal);
  const outcomes = evaluations.of(changed('ada'), asked).map(({ matches }) => matches);

  expect(() => evaluations.assertComplete()).not.toThrow();
  expect(outcomes).toEqual(asked.map(({ rule }) => rule === SHORT));
});

it('gives others their turn', async () => {
  const evaluations = new Evaluations();
  evaluations.of(changed('ada'), memberships(4 * MANY));
  let nowMs = 0;
  const now = jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += TURN_MS / 2));
  let turns = 0;
  let over = false;
  const others = (async () => {
    for (; !over; turns++) await new Promise((resume) => setImmediate(resume));
  })();

  await evaluations.complete(new AbortController().signal);
  over = true;
  await others;
  now.mockRestore();

  expect(turns).toBeGreaterThan(2);
});

it('takes nobody for who they were before they changed again', () => {
  const evaluations = new Evaluations();
  const [membership] = memberships(2).slice(1) as [Membership];
  const other: ChangedPerson = { ...changed('ada', '2'), after: { profile: { bio: 'x' }, tenantIds: [] } };

  expect(evaluations.of(changed('ada'), [membership])[0]!.matches).toBe(true);
  expect(evaluations.of(other, [membership])[0]!.matches).toBe(false);
});

it('knows without a look who has no profile', () => {
  const gone: ChangedPerson = { ...changed('ada'), after: { profile: null, tenantIds: ['acme'] } };

  expect(new Evaluations().of(gone, memberships(1))).toEqual([{ matches: false, reason: 'The user has no profile' }]);
});
