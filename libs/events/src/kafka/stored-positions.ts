import type { ClaimedPosition, ConsumerName, ConsumerPositions } from '@tidings/persistence/consumer-positions';

/** A partition's stored position, as a member finds it. */
export interface FoundPosition {
  /** Everything below it has had its effect; `undefined`: none was stored yet. */
  next?: bigint;
  /** Latest time of these records in the log, ms since the epoch. */
  seenAt?: number;
  /** It is what this member stored last, in the same running database: what the member has handled since is there too. */
  isOwn: boolean;
}

/** Progress to store. */
export interface HandledUpTo {
  partition: number;
  /** Everything below is handled. */
  handled: bigint;
  seenAt?: number;
}

/**
 * The positions of one member in the database of the effects. A position moves only from the value that this member stored or found,
 * under the member's own claim and in the database it claimed it in. So neither an old owner of the partition nor the owner itself,
 * after the database was set back, moves one past effects that the database does not have.
 */
export class StoredPositions {
  /** Those of the assigned partitions; none between an assignment and `begin`. */
  private claims = new Map<number, ClaimedPosition>();
  /** The claims before the last assignment. */
  private last = new Map<number, ClaimedPosition>();
  private claimed = new Map<number, ClaimedPosition>();
  private moving: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly positions: ConsumerPositions,
    private readonly consumer: ConsumerName,
  ) {}

  /**
   * Claims the partitions of an assignment. Until `begin` no position of this member moves.
   * @throws DatabaseUnavailable
   */
  async claim(partitions: readonly number[]): Promise<Map<number, FoundPosition>> {
    if (this.claims.size > 0) this.last = this.claims;
    this.claims = new Map();
    await this.moving;
    const rows = await this.positions.claim(this.consumer, partitions);
    this.claimed = new Map(rows.map((row) => [row.partition, row]));
    return new Map(rows.map((row) => [row.partition, this.found(row)]));
  }

  /** The member starts, or continues, as it found its positions. */
  begin(): void {
    this.claims = this.claimed;
  }

  /** Whether this member may store progress of the partition. */
  holds(partition: number): boolean {
    return this.claims.has(partition);
  }

  /**
   * Stores progress in at most one statement. Resolves with the partitions in which this member must not continue: their positions
   * are no longer as it left them.
   * @throws DatabaseUnavailable
   */
  async move(progress: readonly HandledUpTo[]): Promise<number[]> {
    const { claims } = this;
    const moves = progress.flatMap(({ partition, handled, seenAt }) => {
      const claim = claims.get(partition);
      const after = String(handled);
      if (!claim || claim.nextOffset === after) return [];
      const seen = seenAt === undefined ? null : String(seenAt);
      return [{ partition, epoch: claim.epoch, server: claim.server, before: claim.nextOffset, after, seenAt: seen }];
    });
    if (moves.length === 0) return [];
    const moving = this.positions.move(this.consumer, moves);
    this.moving = moving.catch(() => undefined);
    const moved = await moving;
    for (const { partition, after } of moves) if (moved.has(partition)) claims.get(partition)!.nextOffset = after;
    return this.stillLost(claims, moves, moved);
  }

  /** As `move`, without progress: for a database that went back while there was nothing to do. */
  async lost(): Promise<number[]> {
    await this.moving;
    const { claims } = this;
    if (claims.size === 0) return [];
    const before = [...claims.values()].map(({ nextOffset, ...claim }) => ({ ...claim, before: nextOffset }));
    const matching = await this.positions.check(this.consumer, before);
    const unchanged = before.filter(({ partition, before: next }) => claims.get(partition)?.nextOffset === next);
    return this.stillLost(claims, unchanged, matching);
  }

  /** None when there is a new assignment meanwhile, which finds out by itself. */
  private stillLost(claims: ReadonlyMap<number, ClaimedPosition>, expected: readonly { partition: number }[], found: ReadonlySet<number>) {
    if (claims !== this.claims) return [];
    return expected.map(({ partition }) => partition).filter((partition) => !found.has(partition));
  }

  private found({ partition, nextOffset, seenAt, server }: ClaimedPosition): FoundPosition {
    const last = this.last.get(partition);
    return {
      next: nextOffset === null ? undefined : BigInt(nextOffset),
      seenAt: seenAt === null ? undefined : Number(seenAt),
      isOwn: last !== undefined && last.nextOffset === nextOffset && last.server === server,
    };
  }
}
