import type { KafkaMessage } from 'kafkajs';
import { DEAD_LETTERS_PAGE, type DeadLetter, type DeadLetterRange, type StoredDeadLetter } from '../dead-letters';
import type { Topic } from '../topic';
import { readDeadLetter, readStoredDeadLetter } from './kafka-dead-letters';
import type { TopicReader } from './read-range';
import { readToEnd } from './read-to-end';
import { locationOf } from './records';

/** Dead letters that an index knows; later ones are read when the earlier ones are missing. Memory is some hundred bytes for each. */
const ENTRIES_MAX = 50_000;
/** Characters of a reason in the index. */
const REASON_SHOWN_MAX = 500;

interface Entry extends DeadLetter {
  /** Of its record on the dead topic. */
  key: string;
  isVerified: boolean;
}

/** The dead letters that wait on a dead topic: reads the topic once, then what is appended. Without their records. */
export class DeadLetterIndex {
  private readonly entries = new Map<string, Entry>();
  /** The offset behind the last one that was read, by partition. */
  private readonly read = new Map<number, bigint>();
  /** The first offset of partitions, from which on records are retained. */
  private readonly lows = new Map<number, bigint>();
  private exists = false;
  private hasMore = false;
  private sorted?: readonly Entry[];
  private updating: Promise<void> = Promise.resolve();
  private queued?: Promise<void>;
  private updatedAt = -Infinity;

  /** @param name of the dead topic, with its prefix. */
  constructor(
    private readonly reader: TopicReader,
    private readonly topic: Topic,
    private readonly name: string,
  ) {}

  /** What waits now, the oldest first. @throws ServiceError `unavailable` */
  async waiting(): Promise<readonly Entry[]> {
    await this.update();
    return (this.sorted ??= [...this.entries.values()].sort((one, other) => compare(one.cursor, other.cursor)));
  }

  /** A page of them: see `DeadLetters.page`. */
  async page({ after = '-1', upTo, limit = DEAD_LETTERS_PAGE }: DeadLetterRange): Promise<DeadLetter[]> {
    const all = await this.waiting();
    const within = all.filter(({ cursor }) => compare(cursor, after) > 0 && (upTo === undefined || compare(cursor, upTo) <= 0));
    return within.slice(0, limit);
  }

  /** Those with the references, with their records. @throws ServiceError `unavailable` */
  async find(references: readonly string[]): Promise<StoredDeadLetter[]> {
    const wanted = new Set((await this.waiting()).filter(({ reference }) => references.includes(reference)).map(({ cursor }) => cursor));
    const startAt = new Map<number, bigint>();
    // A partition without any is read from its end.
    for (const [partition, offset] of this.read) startAt.set(partition, offset);
    for (const cursor of wanted) {
      const { partition, offset } = locationOf(cursor);
      const first = startAt.get(partition);
      if (first === undefined || BigInt(offset) < first) startAt.set(partition, BigInt(offset));
    }
    const found: StoredDeadLetter[] = [];
    if (wanted.size === 0) return found;
    await readToEnd(
      this.reader,
      this.name,
      (message, partition) => {
        const letter = readStoredDeadLetter(this.topic, partition, message);
        if (letter && wanted.delete(letter.cursor)) found.push(letter);
        return wanted.size === 0 ? 'enough' : undefined;
      },
      startAt,
    );
    return found;
  }

  /** The keys of those with the references. @throws ServiceError `unavailable` */
  async keysOf(references: readonly string[]): Promise<string[]> {
    return (await this.waiting()).filter(({ reference }) => references.includes(reference)).map(({ key }) => key);
  }

  /** How many of them none of our processes wrote, as of `ageMs` ago at the earliest. @throws ServiceError `unavailable` */
  async unauthenticatedCount(ageMs: number): Promise<number> {
    if (performance.now() - this.updatedAt > ageMs) await this.update();
    return [...this.entries.values()].filter(({ isVerified }) => !isVerified).length;
  }

  /** Resolves when everything that was appended before the call is read: an update in progress may have started earlier. */
  private update(): Promise<void> {
    this.queued ??= this.updating
      .catch(() => undefined)
      .then(() => {
        this.queued = undefined;
        return (this.updating = this.readNew());
      });
    return this.queued;
  }

  private async readNew() {
    const { admin } = this.reader;
    this.exists ||= (await admin.request((connected) => connected.listTopics())).includes(this.name);
    if (!this.exists) return;
    const bounds = await admin.request((connected) => connected.fetchTopicOffsets(this.name));
    const isOther = bounds.some(({ partition, high }) => BigInt(high) < (this.read.get(partition) ?? 0n));
    if (isOther || (this.hasMore && this.entries.size < ENTRIES_MAX / 2)) this.clear();
    for (const { partition, low } of bounds) this.forgetBelow(partition, BigInt(low));
    if (bounds.some(({ partition, high }) => BigInt(high) > (this.read.get(partition) ?? 0n))) {
      const note = (message: KafkaMessage, partition: number) => this.note(partition, message);
      const ends = await readToEnd(this.reader, this.name, note, new Map(this.read));
      for (const [partition, end] of ends) this.read.set(partition, end);
    }
    this.updatedAt = performance.now();
  }

  private note(partition: number, message: KafkaMessage) {
    const key = message.key?.toString() ?? '';
    const letter = readDeadLetter(this.topic, partition, message);
    this.sorted = undefined;
    this.read.set(partition, BigInt(message.offset) + 1n);
    this.entries.delete(key);
    if (!letter) return;
    if (this.entries.size >= ENTRIES_MAX) this.hasMore = true;
    else this.entries.set(key, { ...letter, key, reason: letter.reason.slice(0, REASON_SHOWN_MAX) });
  }

  /** Those past the topic's retention are missing. */
  private forgetBelow(partition: number, low: bigint) {
    if (this.lows.get(partition) === low) return;
    this.lows.set(partition, low);
    for (const [key, { cursor }] of this.entries) {
      const at = locationOf(cursor);
      if (at.partition !== partition || BigInt(at.offset) >= low) continue;
      this.entries.delete(key);
      this.sorted = undefined;
    }
  }

  private clear() {
    this.entries.clear();
    this.read.clear();
    this.hasMore = false;
    this.sorted = undefined;
  }
}

/** By number. */
function compare(one: string, other: string) {
  const difference = BigInt(one) - BigInt(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
