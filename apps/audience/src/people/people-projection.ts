import { Injectable } from '@nestjs/common';
import { membershipsChanged, profileChanged } from '@tidings/contracts/identity/events';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { EventLog, Subscription } from '@tidings/events/event-log';
import { Database } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { AUDIENCES_PER_WORKSPACE_MAX, MEMBERSHIPS_PER_TRANSACTION_MAX } from '../audiences/audience-limits';
import { Evaluations, EvaluationsOpen } from '../audiences/evaluations';
import { statesOf } from '../audiences/membership-state';
import { settleMemberships } from '../audiences/person-memberships';
import { lockWorkspaceShared } from '../audiences/workspace-gate';
import { type Aspect, PROFILE, applyPersonChanges, TENANTS } from './people.rows';
import { lastChanges, type PersonChange } from './person-change';

const GROUP = 'tidings.audience.people';
const BATCH_MAX = 500;
/** Workspaces of a batch that are worked on at once; each takes a connection. */
const WORKSPACES_AT_ONCE_MAX = 3;
/** Of a transaction whose filters have to be evaluated before it. */
const ATTEMPTS_MAX = 10;
/** As few people as these never touch more memberships than a transaction may: each audience has at most two. */
const FEW_PEOPLE = Math.floor(MEMBERSHIPS_PER_TRANSACTION_MAX / (2 * AUDIENCES_PER_WORKSPACE_MAX));

/**
 * Keeps what audiences look at of people as identity tells it, and the memberships with it, in the same transaction. What comes
 * twice or late changes nothing: of each person only what has a higher running number than what is there counts.
 */
@Injectable()
export class PeopleProjection {
  private subscriptions: Subscription[] = [];

  constructor(
    private readonly events: EventLog,
    private readonly db: Database,
    private readonly outbox: Outbox,
  ) {}

  async start(): Promise<void> {
    const options = { group: GROUP, maxBatch: BATCH_MAX };
    this.subscriptions = [
      await this.events.consume(profileChanged, options, (batch, left) =>
        this.apply(
          PROFILE,
          lastChanges(batch, ({ profile }) => profile),
          left,
        ),
      ),
    ];
    this.subscriptions.push(
      await this.events.consume(membershipsChanged, options, (batch, left) =>
        this.apply(
          TENANTS,
          lastChanges(batch, ({ tenantIds }) => tenantIds),
          left,
        ),
      ),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
  }

  /** Whether everything that the log took up to `time` (ms) is in the memberships. */
  async hasAppliedUpTo(time: number): Promise<boolean> {
    const applied = await Promise.all(this.subscriptions.map((subscription) => subscription.hasHandledUpTo(time)));
    return applied.length > 0 && applied.every(Boolean);
  }

  private async apply<Value>(aspect: Aspect<Value>, byWorkspace: Map<string, PersonChange<Value>[]>, left: AbortSignal): Promise<void> {
    const waiting = [...byWorkspace];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next && !left.aborted; next = waiting.shift()) await this.applyTo(next[0], aspect, next[1], left);
    };
    const outcomes = await Promise.allSettled(Array.from({ length: WORKSPACES_AT_ONCE_MAX }, work));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  private async applyTo<Value>(
    workspaceId: string,
    aspect: Aspect<Value>,
    changes: readonly PersonChange<Value>[],
    left: AbortSignal,
  ): Promise<void> {
    const size = await this.peopleAtOnce(workspaceId, changes.length);
    for (let begin = 0; begin < changes.length && !left.aborted; begin += size) {
      await this.applyPart(workspaceId, aspect, changes.slice(begin, begin + size), left);
    }
  }

  /**
   * In one transaction. Where the filters take longer than one should, they are evaluated without, and it begins anew: a second
   * attempt has nothing left to do unless people or audiences changed meanwhile.
   */
  private async applyPart<Value>(
    workspaceId: string,
    aspect: Aspect<Value>,
    part: readonly PersonChange<Value>[],
    left: AbortSignal,
  ): Promise<void> {
    const evaluations = new Evaluations();
    for (let attempt = 1; attempt <= ATTEMPTS_MAX && !left.aborted; attempt++) {
      try {
        return await this.db.transaction(async (tx) => {
          await lockWorkspaceShared(tx, workspaceId);
          const changed = await applyPersonChanges(tx, workspaceId, aspect, part);
          await settleMemberships(tx, this.outbox, workspaceId, changed, evaluations);
        });
      } catch (error) {
        if (!(error instanceof EvaluationsOpen)) throw error;
        await evaluations.complete(left);
      }
    }
    if (!left.aborted) throw new ServiceError('unavailable', `The audiences of the workspace ${workspaceId} change too often`);
  }

  /** How many people a transaction may change, so that it stays short and tells no more than it can. */
  private async peopleAtOnce(workspaceId: string, wanted: number): Promise<number> {
    if (wanted <= FEW_PEOPLE) return FEW_PEOPLE;
    const audiences = await statesOf(this.db, workspaceId, AUDIENCES_PER_WORKSPACE_MAX);
    return Math.max(FEW_PEOPLE, Math.floor(MEMBERSHIPS_PER_TRANSACTION_MAX / (2 * Math.max(1, audiences.length))));
  }
}
