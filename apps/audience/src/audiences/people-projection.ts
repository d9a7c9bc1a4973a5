import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { membershipsChanged, profileChanged } from '@tidings/contracts/identity/events';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { EventDefinition } from '@tidings/contracts/core/event';
import type { EventLog, Subscription } from '@tidings/events/event-log';
import { ConsumerPositions } from '@tidings/persistence/consumer-positions';
import { Database } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { EVENT_LOG } from '@tidings/runtime/resources.module';
import { AUDIENCES_PER_WORKSPACE_MAX, MEMBERSHIPS_PER_TRANSACTION_MAX } from './audience-limits';
import { Evaluations, EvaluationsPending } from './evaluations';
import { statesOf } from './membership-state';
import { updateMemberships } from './person-memberships';
import { lockWorkspaceShared } from './workspace-lock';
import { type Aspect, PROFILE, applyPersonChanges, TENANTS } from '../people/people.rows';
import { lastChanges, type PersonChange, type PersonPayload } from '../people/person-change';

const GROUP = 'tidings.audience.people';
const BATCH_MAX = 500;
/** Workspaces of a batch that are applied in parallel; each uses a connection. */
const WORKSPACES_AT_ONCE_MAX = 3;
/** Attempts of a transaction whose filters are evaluated outside it. */
const ATTEMPTS_MAX = 10;
/** So few people never exceed `MEMBERSHIPS_PER_TRANSACTION_MAX`: an audience has at most two memberships. */
const FEW_PEOPLE = Math.floor(MEMBERSHIPS_PER_TRANSACTION_MAX / (2 * AUDIENCES_PER_WORKSPACE_MAX));

/**
 * Applies identity's profile and tenant events to `people` and, in the same transaction, to memberships. Repeated and late events
 * change nothing: a change counts only if its sequence number is above the stored one.
 */
@Injectable()
export class PeopleProjection implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscriptions: Subscription[] = [];

  constructor(
    @Inject(EVENT_LOG) private readonly events: EventLog,
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly positions: ConsumerPositions,
  ) {}

  async onApplicationBootstrap() {
    await this.consume(profileChanged, PROFILE);
    await this.consume(membershipsChanged, TENANTS);
  }

  async beforeApplicationShutdown() {
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
  }

  /** Whether the memberships include everything that was appended to the log up to `time`, in ms since 1970. */
  async hasAppliedUpTo(time: number) {
    const applied = await Promise.all(this.subscriptions.map((subscription) => subscription.hasHandledUpTo(time)));
    return applied.length > 0 && applied.every(Boolean);
  }

  private async consume<Payload extends PersonPayload>(event: EventDefinition<Payload>, aspect: Aspect) {
    const options = { group: GROUP, maxBatch: BATCH_MAX, positions: this.positions };
    const subscription = await this.events.consume(event, options, (batch, signal) =>
      this.apply(aspect, lastChanges(batch, aspect.field), signal),
    );
    this.subscriptions.push(subscription);
  }

  private async apply(aspect: Aspect, byWorkspace: Map<string, PersonChange[]>, signal: AbortSignal) {
    const waiting = byWorkspace.entries();
    const work = async () => {
      for (const [workspaceId, changes] of waiting) if (!signal.aborted) await this.applyTo(workspaceId, aspect, changes, signal);
    };
    const outcomes = await Promise.allSettled(Array.from({ length: WORKSPACES_AT_ONCE_MAX }, work));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  private async applyTo(workspaceId: string, aspect: Aspect, changes: readonly PersonChange[], signal: AbortSignal) {
    const size = await this.peopleAtOnce(workspaceId, changes.length);
    for (let begin = 0; begin < changes.length && !signal.aborted; begin += size) {
      await this.applyPart(workspaceId, aspect, changes.slice(begin, begin + size), signal);
    }
  }

  /**
   * Applies changes in one transaction. Where its filters take too long, they are evaluated outside it and the transaction is
   * retried: then their results are cached, unless people or audiences changed meanwhile.
   */
  private async applyPart(workspaceId: string, aspect: Aspect, part: readonly PersonChange[], signal: AbortSignal) {
    const evaluations = new Evaluations();
    for (let attempt = 1; attempt <= ATTEMPTS_MAX && !signal.aborted; attempt++) {
      try {
        return await this.database.transaction(async (tx) => {
          await lockWorkspaceShared(tx, workspaceId);
          const changed = await applyPersonChanges(tx, workspaceId, aspect, part);
          await updateMemberships(tx, this.outbox, workspaceId, changed, evaluations);
        });
      } catch (error) {
        if (!(error instanceof EvaluationsPending)) throw error;
        await evaluations.complete(signal);
      }
    }
    if (!signal.aborted) throw new ServiceError('unavailable', `The audiences of the workspace ${workspaceId} change too often`);
  }

  /** People that one transaction may change: it must stay short and within the outbox's number of events. */
  private async peopleAtOnce(workspaceId: string, wanted: number) {
    if (wanted <= FEW_PEOPLE) return FEW_PEOPLE;
    const audiences = await statesOf(this.database, workspaceId);
    return Math.max(FEW_PEOPLE, Math.floor(MEMBERSHIPS_PER_TRANSACTION_MAX / (2 * Math.max(1, audiences.length))));
  }
}
