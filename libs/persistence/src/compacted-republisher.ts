import type { RelaySession } from './relay-session';
import type { ReadLimits, RelaySource, ShardPosition, SourcedEvent } from './relay-source';

/** How long an append that was in doubt is given to arrive, in ms. */
const DEFAULT_DELAY_MS = 5_000;

/** Positions by shard. */
type Places = ReadonlyMap<number, bigint>;

/**
 * On a compacted topic the last record of a key is what remains. An append whose outcome nobody knows, of this relay or of one
 * that died, may arrive after the one that repeated it, and leave an old record last. Such an append is a prefix of the first
 * batch of the session that follows; so what that batch says on compacted topics is said again a little later, as the source
 * has it then. Only a source that keeps what is published can be asked twice.
 */
export class CompactedRepublisher {
  private readonly topics: ReadonlySet<string>;
  /** What is to be said again, and when. */
  private stretch?: { behind: Places; upTo: Places; dueAt: number };
  private noted = false;

  constructor(
    { events, discard }: RelaySource,
    private readonly delayMs = DEFAULT_DELAY_MS,
  ) {
    this.topics = new Set(discard ? [] : events.filter(({ compacted }) => compacted).map(({ topic }) => topic));
  }

  /** When there is something to say, by `performance.now()`. */
  get dueAt(): number {
    return this.stretch?.dueAt ?? Infinity;
  }

  /** Shards were taken over, from another relay or a lost session: what was appended before may be in doubt. */
  begin(): void {
    this.noted = false;
  }

  /** A batch was published; the first one since `begin` is what matters. */
  note(behind: readonly ShardPosition[], upTo: readonly ShardPosition[]): void {
    if (this.noted || this.topics.size === 0) return;
    this.noted = true;
    const { stretch } = this;
    this.stretch = {
      behind: new Map([...placesOf(behind), ...(stretch?.behind ?? [])]),
      upTo: new Map([...(stretch?.upTo ?? []), ...placesOf(upTo)]),
      dueAt: performance.now() + this.delayMs,
    };
  }

  /** Says as much of it as one batch carries. What the session does not hold is another relay's to say. */
  async say(session: RelaySession, limits: ReadLimits, publish: (events: readonly SourcedEvent[]) => Promise<void>): Promise<void> {
    const { stretch } = this;
    if (!stretch) return;
    const { behind, upTo, dueAt } = stretch;
    const left = [...behind].filter(([shard, position]) => session.holds(shard) && position < (upTo.get(shard) ?? 0n));
    const events = await session.readAgain(
      left.map(([shard, position]) => ({ shard, position: String(position) })),
      limits,
    );
    const within = events.filter(({ shard, position }) => BigInt(position) <= upTo.get(shard)!);
    await publish(within.filter(({ topic }) => this.topics.has(topic)));
    this.stretch = within.length === 0 ? undefined : { behind: new Map([...left, ...placesOf(within)]), upTo, dueAt };
  }
}

const placesOf = (places: readonly ShardPosition[]): Places => new Map(places.map(({ shard, position }) => [shard, BigInt(position)]));
