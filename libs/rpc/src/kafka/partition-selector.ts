/** A partition without an answer for so long is avoided while others answer. */
const SUSPECT_AFTER_MS = 500;
/** Above a member's session timeout (6 s): a service without an answer for so long is absent. */
const ABSENT_AFTER_MS = 8_000;
const PROBE_INTERVAL_MS = 500;

interface PartitionState {
  partition: number;
  /** The member that answered last. */
  member?: string;
  /** Requests without an answer. */
  outstanding: number;
  /** Time of the first request since the last answer. */
  unansweredSince?: number;
}

/**
 * Selects the partition of a service for a request: one whose member answers. A killed member keeps its partitions until its
 * session ends; only its callers can notice sooner. All times by `performance.now()`.
 */
export class PartitionSelector {
  private readonly partitions: PartitionState[];
  private readonly answeredAt = new Map<string, number>();
  private lastAnswerAt = -Infinity;
  /** The first and the last acknowledged request since the service's last answer. */
  private unanswered?: { since: number; at: number };
  private current: PartitionState;
  private currentBatch = -1;
  private probedAt = -Infinity;

  constructor(partitions: number) {
    this.partitions = Array.from({ length: partitions }, (_, partition) => ({ partition, outstanding: 0 }));
    this.current = this.partitions[Math.floor(Math.random() * partitions)]!;
  }

  /**
   * The partition for a request in batch `batch`: one for the whole batch, round-robin between batches. Spread over several
   * partitions, a batch would become one for each of them.
   */
  choose(batch: number, now: number): number {
    if (batch !== this.currentBatch || this.isSuspect(this.current, now)) {
      this.currentBatch = batch;
      this.current = this.next(this.current, now);
    }
    return this.current.partition;
  }

  /**
   * The partition for a retry: of another member if one is known; else, if the first partition is suspect, any other one, and
   * otherwise one without a known member. `undefined` when there is none.
   */
  chooseForRetry(partition: number, now: number): number | undefined {
    const first = this.partitions[partition]!;
    const others = this.believedAlive(now).filter((one) => one !== first);
    const ofOtherMembers = others.filter(({ member }) => member && member !== first.member);
    if (ofOtherMembers.length > 0) return anyOf(ofOtherMembers);
    return anyOf(this.isSuspect(first, now) ? others : others.filter(({ member }) => !member));
  }

  /** Another partition that is not suspect. */
  anotherThan(partition: number, now: number): number | undefined {
    return anyOf(this.believedAlive(now).filter((one) => one.partition !== partition));
  }

  /** Notes a request to a partition. */
  onSend(partition: number, now: number): void {
    const state = this.partitions[partition]!;
    state.outstanding += 1;
    state.unansweredSince ??= now;
  }

  /** Notes that the broker has acknowledged a request. After a long pause the unanswered time starts again. */
  onAcknowledged(now: number): void {
    const { unanswered } = this;
    const isFresh = unanswered !== undefined && now - unanswered.at <= ABSENT_AFTER_MS;
    this.unanswered = { since: isFresh ? unanswered.since : now, at: now };
  }

  /** Notes an answer. */
  onAnswer(partition: number, member: string, now: number): void {
    this.onEnded(partition);
    const state = this.partitions[partition]!;
    state.member = member;
    // The member was alive just now, so the time of its open requests starts again.
    state.unansweredSince = state.outstanding > 0 ? now : undefined;
    this.answeredAt.set(member, now);
    this.lastAnswerAt = now;
    this.unanswered = undefined;
  }

  /** Notes that a request ended. Without an answer its partition stays suspect. */
  onEnded(partition: number): void {
    const state = this.partitions[partition]!;
    state.outstanding = Math.max(0, state.outstanding - 1);
  }

  /** Whether the service has answered lately. */
  isResponding(now: number): boolean {
    return now - this.lastAnswerAt < ABSENT_AFTER_MS;
  }

  /** Whether the service has left requests unanswered for long, and got one lately. */
  isAbsent(now: number): boolean {
    if (!this.unanswered) return false;
    const { since, at } = this.unanswered;
    return now - since > ABSENT_AFTER_MS && now - at <= ABSENT_AFTER_MS;
  }

  /** The partitions to probe now: every suspect one, or a single one of an absent service. */
  partitionsToProbe(now: number): number[] {
    if (now - this.probedAt < PROBE_INTERVAL_MS) return [];
    this.probedAt = now;
    for (const [member, at] of this.answeredAt) if (now - at > 2 * ABSENT_AFTER_MS) this.answeredAt.delete(member);
    const suspects = this.partitions.filter((one) => this.isSuspect(one, now)).map(({ partition }) => partition);
    return this.isAbsent(now) ? suspects.slice(0, 1) : suspects;
  }

  private isSuspect({ unansweredSince }: PartitionState, now: number) {
    return unansweredSince !== undefined && now - unansweredSince > SUSPECT_AFTER_MS;
  }

  private believedAlive(now: number) {
    const suspects = this.partitions.filter((one) => this.isSuspect(one, now));
    const isSilent = (member: string, since: number) => (this.answeredAt.get(member) ?? -Infinity) < since;
    // Of their members, those that have answered on no other partition since.
    const silent = suspects
      .filter(({ member, unansweredSince }) => member && isSilent(member, unansweredSince!))
      .map(({ member }) => member);
    return this.partitions.filter((one) => !suspects.includes(one) && !silent.includes(one.member));
  }

  private next(after: PartitionState, now: number) {
    const alive = this.believedAlive(now);
    const following = alive.find(({ partition }) => partition > after.partition) ?? alive[0];
    return following ?? this.partitions[(after.partition + 1) % this.partitions.length]!;
  }
}

function anyOf(some: readonly PartitionState[]) {
  return some[Math.floor(Math.random() * some.length)]?.partition;
}
