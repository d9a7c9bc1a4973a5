/** Waiting entries of one owner; yielding ones come last. */
interface OwnerQueue<Entry> {
  readonly first: Entry[];
  readonly yielding: Entry[];
}

/** Round-robin queue over owners: an owner with a thousand entries delays another owner by one entry. */
export class FairQueue<Entry> {
  /** Owners in round-robin order, by insertion into the Map. */
  private readonly waiting = new Map<string, OwnerQueue<Entry>>();

  constructor(private readonly perOwnerMax: number) {}

  /** False when the owner's queue is full. */
  add(owner: string, entry: Entry, yields = false): boolean {
    const queue = this.waiting.get(owner) ?? { first: [], yielding: [] };
    if (lengthOf(queue) >= this.perOwnerMax) return false;
    (yields ? queue.yielding : queue.first).push(entry);
    this.waiting.set(owner, queue);
    return true;
  }

  /** Removes and returns the next entry of the first owner for which `may` is true. */
  next(may: (owner: string) => boolean): Entry | undefined {
    for (const [owner, queue] of this.waiting) {
      if (!may(owner)) continue;
      this.waiting.delete(owner);
      const entry = queue.first.shift() ?? queue.yielding.shift();
      if (lengthOf(queue) > 0) this.waiting.set(owner, queue);
      return entry;
    }
    return undefined;
  }

  /** Removes a waiting entry, if present. */
  remove(owner: string, entry: Entry): void {
    const queue = this.waiting.get(owner);
    if (!queue) return;
    for (const entries of [queue.first, queue.yielding]) {
      const at = entries.indexOf(entry);
      if (at >= 0) entries.splice(at, 1);
    }
    if (lengthOf(queue) === 0) this.waiting.delete(owner);
  }

  /** Removes and returns all entries. */
  drain(): Entry[] {
    const entries = [...this.waiting.values()].flatMap(({ first, yielding }) => [...first, ...yielding]);
    this.waiting.clear();
    return entries;
  }
}

function lengthOf<Entry>({ first, yielding }: OwnerQueue<Entry>): number {
  return first.length + yielding.length;
}
