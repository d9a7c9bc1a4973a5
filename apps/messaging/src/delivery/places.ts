/** A bounded number of places. Those who wait are served in order, with what there is. */
export class Places {
  private free: number;
  private readonly waiting: { wanted: number; give: (places: number) => void }[] = [];

  constructor(readonly limit: number) {
    this.free = limit;
  }

  /** Between 0 and `wanted` places: as many as are free, or, when none is, the first that come free within `waitMs`. */
  reserve(wanted: number, waitMs: number): Promise<number> {
    if (this.free > 0 || waitMs <= 0) return Promise.resolve(this.take(wanted));
    return new Promise((give) => {
      const entry = {
        wanted,
        give: (places: number) => {
          clearTimeout(timer);
          give(places);
        },
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        give(0);
      }, waitMs);
      this.waiting.push(entry);
    });
  }

  release(places: number): void {
    this.free += places;
    while (this.free > 0 && this.waiting.length > 0) {
      const { wanted, give } = this.waiting.shift()!;
      give(this.take(wanted));
    }
  }

  private take(wanted: number): number {
    const taken = Math.min(wanted, this.free);
    this.free -= taken;
    return taken;
  }
}
