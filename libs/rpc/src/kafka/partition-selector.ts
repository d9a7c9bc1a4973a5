/** A partition that answers nothing for so long is passed over while another answers. */
const SUSPECT_AFTER_MS = 500;
/** Above a member's session (6 s): what was asked for so long and has answered nothing is not there. */
const ABSENT_AFTER_MS = 8_000;
const PROBE_INTERVAL_MS = 500;

interface PartitionState {
  partition: number;
  /** Which member answered last. */
  member?: string;
  outstanding: number;
  /** The first ask since the last answer. */
  askedSince?: number;
}

/**
 * Which partitions of a service to ask: those whose members answer. A killed member keeps its partitions until its session ends;
 * nobody but its callers can notice sooner. All times by `performance.now()`.
 */
export class PartitionSelector {
  private readonly partitions: PartitionState[];
  private readonly heardFrom = new Map<string, number>();
  private heardAt = -Infinity;
  /** The first and the last ask that the broker took since anything was heard of the service. */
  private unanswered?: { since: number; at: number };
  private current: PartitionState;
  private currentTurn = -1;
  private probedAt = -Infinity;

  constructor(partitions: number) {
    this.partitions = Array.from({ length: partitions }, (_, partition) => ({ partition, outstanding: 0 }));
    this.current = this.partitions[Math.floor(Math.random() * partitions)]!;
  }

  /**
   * The partition for a request that leaves with `turn`: one for all that travel together, the next one afterwards. A batch
   * spread over many costs each of them a batch of its own.
   */
  choose(turn: number, now: number): number {
    if (turn !== this.currentTurn || this.suspect(this.current, now)) {
      this.currentTurn = turn;
      this.current = this.next(this.current, now);
    }
    return this.current.partition;
  }

  /**
   * Where to ask a second time: of another member; or, where the member answers and only this partition does not, of anybody.
   * `undefined` when there is nobody else.
   */
  elsewhere(partition: number, now: number): number | undefined {
    const first = this.partitions[partition]!;
    const others = this.believedAlive(now).filter((one) => one !== first);
    const known = others.filter(({ member }) => member && member !== first.member);
    if (known.length > 0) return anyOf(known);
    return anyOf(this.suspect(first, now) ? others : others.filter(({ member }) => !member));
  }

  /** Another partition that is believed to be answered. */
  otherThan(partition: number, now: number): number | undefined {
    return anyOf(this.believedAlive(now).filter((one) => one.partition !== partition));
  }

  asked(partition: number, now: number): void {
    const state = this.partitions[partition]!;
    state.outstanding += 1;
    state.askedSince ??= now;
  }

  /** The broker has an ask that is not answered yet. What was asked long before says nothing of who is there now. */
  taken(now: number): void {
    const { unanswered } = this;
    const isFresh = unanswered !== undefined && now - unanswered.at <= ABSENT_AFTER_MS;
    this.unanswered = { since: isFresh ? unanswered.since : now, at: now };
  }

  answered(partition: number, member: string, now: number): void {
    const state = this.partitions[partition]!;
    state.member = member;
    state.outstanding = Math.max(0, state.outstanding - 1);
    // Those still open are asked of somebody who was alive a moment ago.
    state.askedSince = state.outstanding > 0 ? now : undefined;
    this.heardFrom.set(member, now);
    this.heardAt = now;
    this.unanswered = undefined;
  }

  /** Nobody waits for this ask any more. What it made known about its partition stays known. */
  abandoned(partition: number): void {
    const state = this.partitions[partition]!;
    state.outstanding = Math.max(0, state.outstanding - 1);
  }

  /** Whether anything was heard of the service lately. */
  heard(now: number): boolean {
    return now - this.heardAt < ABSENT_AFTER_MS;
  }

  /** Whether the service was asked, and asked again lately, and nobody is there. */
  absent(now: number): boolean {
    if (!this.unanswered) return false;
    const { since, at } = this.unanswered;
    return now - since > ABSENT_AFTER_MS && now - at <= ABSENT_AFTER_MS;
  }

  /** The partitions to probe now: every suspect one, or a single one of a service that is not there at all. */
  toProbe(now: number): number[] {
    if (now - this.probedAt < PROBE_INTERVAL_MS) return [];
    this.probedAt = now;
    for (const [member, at] of this.heardFrom) if (now - at > 2 * ABSENT_AFTER_MS) this.heardFrom.delete(member);
    const suspects = this.partitions.filter((one) => this.suspect(one, now)).map(({ partition }) => partition);
    return this.absent(now) ? suspects.slice(0, 1) : suspects;
  }

  private suspect({ askedSince }: PartitionState, now: number): boolean {
    return askedSince !== undefined && now - askedSince > SUSPECT_AFTER_MS;
  }

  /** Members that left one of their partitions without an answer, and have answered nowhere since. */
  private silentMembers(now: number): Set<string> {
    const silent = new Set<string>();
    for (const one of this.partitions) {
      if (one.member && this.suspect(one, now) && (this.heardFrom.get(one.member) ?? -Infinity) < one.askedSince!) silent.add(one.member);
    }
    return silent;
  }

  private believedAlive(now: number): PartitionState[] {
    const silent = this.silentMembers(now);
    return this.partitions.filter((one) => !this.suspect(one, now) && !(one.member && silent.has(one.member)));
  }

  private next(after: PartitionState, now: number): PartitionState {
    const alive = this.believedAlive(now);
    const following = alive.find(({ partition }) => partition > after.partition) ?? alive[0];
    return following ?? this.partitions[(after.partition + 1) % this.partitions.length]!;
  }
}

function anyOf(some: readonly PartitionState[]): number | undefined {
  return some[Math.floor(Math.random() * some.length)]?.partition;
}
