/** What one owner has waiting: what yields comes after all the rest. */
interface Line<Entry> {
  readonly first: Entry[];
  readonly yielding: Entry[];
}

/** Waiting work, taken in turns of those it is for: one with a thousand entries waits behind one with a single entry once. */
export class FairQueue<Entry> {
  /** A Map keeps the order of insertion: the owner whose turn is next is first. */
  private readonly waiting = new Map<string, Line<Entry>>();

  constructor(private readonly perOwnerMax: number) {}

  /** False when the owner has as many entries waiting as it may. */
  add(owner: string, entry: Entry, yields = false): boolean {
    const line = this.waiting.get(owner) ?? { first: [], yielding: [] };
    if (lengthOf(line) >= this.perOwnerMax) return false;
    (yields ? line.yielding : line.first).push(entry);
    this.waiting.set(owner, line);
    return true;
  }

  /** The next entry of the first owner in turn who `may` have one now. */
  take(may: (owner: string) => boolean): Entry | undefined {
    for (const [owner, line] of this.waiting) {
      if (!may(owner)) continue;
      this.waiting.delete(owner);
      const entry = line.first.shift() ?? line.yielding.shift();
      if (lengthOf(line) > 0) this.waiting.set(owner, line);
      return entry;
    }
    return undefined;
  }

  /** Takes an entry out that is not to be waited for any more; one that is not there is left alone. */
  remove(owner: string, entry: Entry): void {
    const line = this.waiting.get(owner);
    if (!line) return;
    for (const entries of [line.first, line.yielding]) {
      const at = entries.indexOf(entry);
      if (at >= 0) entries.splice(at, 1);
    }
    if (lengthOf(line) === 0) this.waiting.delete(owner);
  }

  /** Takes everything out. */
  drain(): Entry[] {
    const entries = [...this.waiting.values()].flatMap(({ first, yielding }) => [...first, ...yielding]);
    this.waiting.clear();
    return entries;
  }
}

function lengthOf<Entry>({ first, yielding }: Line<Entry>): number {
  return first.length + yielding.length;
}
