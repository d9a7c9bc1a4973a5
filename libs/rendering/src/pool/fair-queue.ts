/** Round-robin queue over owners: an owner with a thousand entries delays another owner by one entry. */
export class FairQueue<Entry> {
  /** Waiting entries of each owner, yielding ones last; owners in round-robin order, by insertion into the Map. */
  private readonly waiting = new Map<string, { readonly entry: Entry; readonly yields: boolean }[]>();

  constructor(private readonly perOwnerMax: number) {}

  /** False when the owner's queue is full. */
  add(owner: string, entry: Entry, yields = false): boolean {
    const queue = this.waiting.get(owner) ?? [];
    if (queue.length >= this.perOwnerMax) return false;
    const yielding = yields ? -1 : queue.findIndex((one) => one.yields);
    queue.splice(yielding < 0 ? queue.length : yielding, 0, { entry, yields });
    this.waiting.set(owner, queue);
    return true;
  }

  /** Removes and returns the next entry of the first owner for which `may` is true. */
  next(may: (owner: string) => boolean): Entry | undefined {
    for (const [owner, [first, ...others]] of this.waiting) {
      if (!may(owner)) continue;
      this.waiting.delete(owner);
      if (others.length > 0) this.waiting.set(owner, others);
      return first?.entry;
    }
    return undefined;
  }

  /** Removes a waiting entry, if present. */
  remove(owner: string, entry: Entry): void {
    const others = this.waiting.get(owner)?.filter((one) => one.entry !== entry);
    if (others?.length) this.waiting.set(owner, others);
    else this.waiting.delete(owner);
  }

  /** Removes and returns all entries. */
  drain(): Entry[] {
    const entries = [...this.waiting.values()].flat().map(({ entry }) => entry);
    this.waiting.clear();
    return entries;
  }
}
