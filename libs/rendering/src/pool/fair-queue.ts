/** What one owner has waiting: what yields comes after all the rest. */
interface OwnerQueue<Entry> {
  readonly first: Entry[];
  readonly yielding: Entry[];
}

/** Waiting work, taken in turns of those it is for: one with a thousand entries waits behind one with a single entry once. */
export class FairQueue<Entry> {
  /** A Map keeps the order of insertion: the owner whose turn is next is first. */
  private readonly waiting = new Map<string, OwnerQueue<Entry>>();

  constructor(private readonly perOwnerMax: number) {}

  /** False when the owner has as many entries waiting as it may. */
  add(owner: string, entry: Entry, yields = false): boolean {
    const queue = this.waiting.get(owner) ?? { first: [], yielding: [] };
    if (lengthOf(queue) >= this.perOwnerMax) return false;
    (yields ? queue.yielding : queue.first).push(entry);
    this.waiting.set(owner, queue);
    return true;
  }

  /** The next entry of the first owner in turn who `may` have one now. */
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

  /** Takes an entry out that is not to be waited for any more; one that is not there is left alone. */
  remove(owner: string, entry: Entry): void {
    const queue = this.waiting.get(owner);
    if (!queue) return;
    for (const entries of [queue.first, queue.yielding]) {
      const at = entries.indexOf(entry);
      if (at >= 0) entries.splice(at, 1);
    }
    if (lengthOf(queue) === 0) this.waiting.delete(owner);
  }

  /** Takes everything out. */
  drain(): Entry[] {
    const entries = [...this.waiting.values()].flatMap(({ first, yielding }) => [...first, ...yielding]);
    this.waiting.clear();
    return entries;
  }
}

function lengthOf<Entry>({ first, yielding }: OwnerQueue<Entry>): number {
  return first.length + yielding.length;
}
