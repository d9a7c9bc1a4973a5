import type { RelaySession } from './relay-session';
import type { Positions, ReadLimits, RelaySource, SourcedEvent } from './relay-source';

/** How long to wait for a late append with unknown outcome, in ms. */
const DEFAULT_DELAY_MS = 5_000;

/**
 * Keeps the latest record of a key last on compacted topics. An append with unknown outcome, of this relay or of one that died,
 * may arrive after the append that repeated it, and leave an old record last. Its events are a prefix of the next session's
 * first batch. So the events of that batch on compacted topics are read from the source again a little later, and republished.
 * Only for sources that retain published events.
 */
export class CompactedRepublisher {
  private readonly topics: ReadonlySet<string>;
  /** The range to republish, and when. */
  private range?: { behind: Positions; upTo: Positions; dueAt: number };
  private isNoted = false;

  constructor(
    { events, discard }: RelaySource,
    private readonly delayMs = DEFAULT_DELAY_MS,
  ) {
    this.topics = new Set(discard ? [] : events.filter(({ compacted }) => compacted).map(({ topic }) => topic));
  }

  /** When to republish next, by `performance.now()`; `Infinity` when there is nothing. */
  get dueAt(): number {
    return this.range?.dueAt ?? Infinity;
  }

  /** Shards were claimed from another relay or a lost session: earlier appends may have unknown outcomes. */
  begin(): void {
    this.isNoted = false;
  }

  /** Notes a published batch; only the first one since `begin` counts. */
  note(behind: Positions, upTo: Positions): void {
    if (this.isNoted || this.topics.size === 0) return;
    this.isNoted = true;
    const { range } = this;
    this.range = {
      behind: new Map([...behind, ...(range?.behind ?? [])]),
      upTo: new Map([...(range?.upTo ?? []), ...upTo]),
      dueAt: performance.now() + this.delayMs,
    };
  }

  /** Republishes one batch of the range. Shards that the session does not own belong to another relay. */
  async republish(session: RelaySession, limits: ReadLimits, publish: (events: readonly SourcedEvent[]) => Promise<void>): Promise<void> {
    const { range } = this;
    if (!range) return;
    const { behind, upTo, dueAt } = range;
    const left = new Map([...behind].filter(([shard, position]) => session.owns(shard) && BigInt(position) < BigInt(upTo.get(shard) ?? 0)));
    const events = await session.readBehind(left, limits);
    const within = events.filter(({ shard, position }) => BigInt(position) <= BigInt(upTo.get(shard)!));
    await publish(within.filter(({ topic }) => this.topics.has(topic)));
    for (const { shard, position } of within) left.set(shard, position);
    this.range = within.length === 0 ? undefined : { behind: left, upTo, dueAt };
  }
}
