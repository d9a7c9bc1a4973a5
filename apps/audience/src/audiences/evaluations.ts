import { EventLoopYielder } from '@tidings/runtime/event-loop-yielder';
import type { ChangedPerson } from '../people/people.rows';
import { NO_PROFILE_REASON } from './audience-limits';
import { type Evaluation, evaluateFilter } from './filter/evaluate-filter';
import { PreparedPerson } from './filter/prepared-person';
import type { Membership } from './membership-state';

/** Steps of filter evaluation within one transaction: some hundredths of a second. */
export const TRANSACTION_STEPS_MAX = 2_000_000;

/** The filters take too long for a transaction: the caller rolls back and calls `complete` outside it. */
export class EvaluationsPending extends Error {}

interface PendingPerson {
  person: ChangedPerson;
  memberships: Map<string, Membership>;
}

/**
 * Filter results of people, cached between the attempts of a transaction. A membership never changes its filter, and a person
 * with the same sequence numbers is the same: results from before the rows were locked are valid under their lock.
 */
export class Evaluations {
  private readonly cache = new Map<string, Evaluation>();
  private pending = new Map<string, PendingPerson>();
  private stepsLeft = TRANSACTION_STEPS_MAX;

  /** Whether the person matches the memberships, in their order. Once the steps are used up, the rest stays pending. */
  of(person: ChangedPerson, memberships: readonly Membership[]): Evaluation[] {
    const prepared = prepare(person);
    return memberships.map((membership) => {
      const key = keyOf(person, membership);
      const cached = this.cache.get(key);
      if (cached) return cached;
      if (this.stepsLeft <= 0) return this.defer(person, membership);
      const before = prepared?.steps ?? 0;
      const evaluation = evaluate(membership, prepared);
      this.stepsLeft -= (prepared?.steps ?? 0) - before;
      this.cache.set(key, evaluation);
      return evaluation;
    });
  }

  /** @throws EvaluationsPending when evaluations are pending. */
  assertComplete(): void {
    if (this.pending.size > 0) throw new EvaluationsPending('The filters of the workspace take too long for one transaction');
  }

  /** Evaluates what is pending, yielding to the event loop. Call it outside a transaction. */
  async complete(signal: AbortSignal): Promise<void> {
    const pending = this.pending;
    this.pending = new Map();
    this.stepsLeft = TRANSACTION_STEPS_MAX;
    const yielder = new EventLoopYielder();
    for (const { person, memberships } of pending.values()) {
      const prepared = prepare(person);
      for (const membership of memberships.values()) {
        if (signal.aborted) return;
        this.cache.set(keyOf(person, membership), evaluate(membership, prepared));
        await yielder.yieldIfDue();
      }
    }
  }

  private defer(person: ChangedPerson, membership: Membership): Evaluation {
    const personKey = `${person.state} ${person.userId}`;
    let pending = this.pending.get(personKey);
    if (!pending) this.pending.set(personKey, (pending = { person, memberships: new Map() }));
    pending.memberships.set(membership.id, membership);
    return PLACEHOLDER;
  }
}

/** Result of a pending evaluation; never stored, as the transaction rolls back. */
const PLACEHOLDER: Evaluation = { matches: false, reason: '' };

function prepare({ after: { profile, tenantIds } }: ChangedPerson): PreparedPerson | undefined {
  return profile === null ? undefined : new PreparedPerson({ profile, tenantIds });
}

function evaluate({ rule }: Membership, person: PreparedPerson | undefined): Evaluation {
  return person ? evaluateFilter(rule, person) : { matches: false, reason: NO_PROFILE_REASON };
}

const keyOf = ({ userId, state }: ChangedPerson, { id }: Membership): string => `${id} ${state} ${userId}`;
