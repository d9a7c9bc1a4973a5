import { EventLoopYielder } from '@tidings/runtime/event-loop-yielder';
import type { ChangedPerson } from '../people/people.rows';
import { NO_PROFILE_REASON } from './audience-limits';
import { type Evaluation, evaluateFilter, NO_MATCH } from './filter/evaluate-filter';
import { PreparedPerson } from './filter/prepared-person';
import type { Membership } from './membership-state';

/** Steps of filter evaluation within one transaction: some hundredths of a second. */
export const TRANSACTION_STEPS_MAX = 2_000_000;

/** The filters take too long for a transaction: the caller rolls back and calls `complete` outside it. */
export class EvaluationsPending extends Error {}

interface PendingEvaluation {
  key: string;
  membership: Membership;
  person: PreparedPerson | undefined;
}

/**
 * Filter results of people, cached between the attempts of a transaction. A membership never changes its filter, and a person
 * with the same sequence numbers is the same: results from before the rows were locked are valid under their lock.
 */
export class Evaluations {
  private readonly cache = new Map<string, Evaluation>();
  private readonly pending: PendingEvaluation[] = [];
  private stepsLeft = TRANSACTION_STEPS_MAX;

  /** Whether the person matches the memberships, in their order. Once the steps are used up, the rest stays pending. */
  of({ userId, state, after: { profile, tenantIds } }: ChangedPerson, memberships: readonly Membership[]): Evaluation[] {
    const person = profile === null ? undefined : new PreparedPerson({ profile, tenantIds });
    return memberships.map((membership) => {
      const key = `${membership.id} ${state} ${userId}`;
      const cached = this.cache.get(key);
      if (cached) return cached;
      if (this.stepsLeft <= 0) {
        this.pending.push({ key, membership, person });
        return NO_MATCH; // never stored, as the transaction rolls back
      }
      const before = person?.steps ?? 0;
      const evaluation = evaluate(membership, person);
      this.stepsLeft -= (person?.steps ?? 0) - before;
      this.cache.set(key, evaluation);
      return evaluation;
    });
  }

  /** @throws EvaluationsPending when evaluations are pending. */
  assertComplete() {
    if (this.pending.length > 0) throw new EvaluationsPending('The filters of the workspace take too long for one transaction');
  }

  /** Evaluates what is pending, yielding to the event loop. Call it outside a transaction. */
  async complete(signal: AbortSignal) {
    this.stepsLeft = TRANSACTION_STEPS_MAX;
    const yielder = new EventLoopYielder();
    for (let next = this.pending.pop(); next && !signal.aborted; next = this.pending.pop()) {
      this.cache.set(next.key, evaluate(next.membership, next.person));
      await yielder.yieldIfDue();
    }
  }
}

function evaluate({ rule }: Membership, person: PreparedPerson | undefined) {
  return person ? evaluateFilter(rule, person) : { matches: false, reason: NO_PROFILE_REASON };
}
