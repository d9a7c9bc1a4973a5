/** Waiting work, taken in turns of those it is for: one with a thousand entries waits behind one with a single entry once. */
export class FairQueue<Entry> {
  /** A Map keeps the order of insertion: the owner whose turn is next is first. */
  private readonly waiting = new Map<string, Entry[]>();

  constructor(private readonly perOwnerMax: number) {}

  /** False when the owner has as many entries waiting as it may. */
  add(owner: string, entry: Entry): boolean {
    const entries = this.waiting.get(owner);
    if (!entries) this.waiting.set(owner, [entry]);
    else if (entries.length < this.perOwnerMax) entries.push(entry);
    else return false;
    return true;
  }

  /** The next entry of the first owner in turn who `may` have one now. */
  take(may: (owner: string) => boolean): Entry | undefined {
    for (const [owner, entries] of this.waiting) {
      if (!may(owner)) continue;
      this.waiting.delete(owner);
      const entry = entries.shift();
      if (entries.length > 0) this.waiting.set(owner, entries);
      return entry;
    }
    return undefined;
  }

  /** Takes everything out. */
  drain(): Entry[] {
    const entries = [...this.waiting.values()].flat();
    this.waiting.clear();
    return entries;
  }
}
