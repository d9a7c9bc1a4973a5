import { EventLoopYielder } from '@tidings/runtime/event-loop-yielder';
import type { ChangedPerson } from '../people/people.rows';
import { NO_PROFILE_REASON } from './audience-limits';
import { type Evaluation, evaluateFilter } from './filter/evaluate-filter';
import { PreparedPerson } from './filter/prepared-person';
import type { Membership } from './membership-state';

/** What filters may take while a transaction is open, in steps: some hundredths of a second. */
export const TRANSACTION_STEPS_MAX = 2_000_000;

/** The filters take longer than a transaction should: it is rolled back, and what is open worked out without one. */
export class EvaluationsOpen extends Error {}

interface Open {
  person: ChangedPerson;
  memberships: Map<string, Membership>;
}

/**
 * What filters say of people, kept from one attempt of a transaction to the next. A membership never changes its filter, and a
 * person with the same running numbers is the same: so what was worked out before the rows were locked holds under their lock.
 */
export class Evaluations {
  private readonly known = new Map<string, Evaluation>();
  private open = new Map<string, Open>();
  private left = TRANSACTION_STEPS_MAX;

  /** Whether the person is in the memberships, in their order. Where too much was done already, some are left open. */
  of(person: ChangedPerson, memberships: readonly Membership[]): Evaluation[] {
    const prepared = prepare(person);
    return memberships.map((membership) => {
      const key = keyOf(person, membership);
      const known = this.known.get(key);
      if (known) return known;
      if (this.left <= 0) return this.leaveOpen(person, membership);
      const before = prepared?.steps ?? 0;
      const evaluation = evaluate(membership, prepared);
      this.left -= (prepared?.steps ?? 0) - before;
      this.known.set(key, evaluation);
      return evaluation;
    });
  }

  /** @throws EvaluationsOpen when some were left open. */
  assertComplete(): void {
    if (this.open.size > 0) throw new EvaluationsOpen('The filters of the workspace take long');
  }

  /** Works out what was left open, with turns for others. Without a transaction. */
  async complete(left: AbortSignal): Promise<void> {
    const open = this.open;
    this.open = new Map();
    this.left = TRANSACTION_STEPS_MAX;
    const turns = new EventLoopYielder();
    for (const { person, memberships } of open.values()) {
      const prepared = prepare(person);
      for (const membership of memberships.values()) {
        if (left.aborted) return;
        this.known.set(keyOf(person, membership), evaluate(membership, prepared));
        await turns.yieldIfDue();
      }
    }
  }

  private leaveOpen(person: ChangedPerson, membership: Membership): Evaluation {
    const personKey = `${person.state} ${person.userId}`;
    let open = this.open.get(personKey);
    if (!open) this.open.set(personKey, (open = { person, memberships: new Map() }));
    open.memberships.set(membership.id, membership);
    return LEFT_OPEN;
  }
}

/** Nobody sees it: the transaction does not commit. */
const LEFT_OPEN: Evaluation = { matches: false, reason: '' };

function prepare({ after: { profile, tenantIds } }: ChangedPerson): PreparedPerson | undefined {
  return profile === null ? undefined : new PreparedPerson({ profile, tenantIds });
}

function evaluate({ rule }: Membership, person: PreparedPerson | undefined): Evaluation {
  return person ? evaluateFilter(rule, person) : { matches: false, reason: NO_PROFILE_REASON };
}

const keyOf = ({ userId, state }: ChangedPerson, { id }: Membership): string => `${id} ${state} ${userId}`;
