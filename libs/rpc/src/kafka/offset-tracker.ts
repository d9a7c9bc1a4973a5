/** A finished prefix longer than this is removed from the list. */
const COMPACT_AFTER = 1_024;

/** The offset of a fetched record, and whether the record is finished. */
export interface TrackedOffset {
  readonly offset: number;
  finished: boolean;
}

/** Offsets fetched of a partition, in order, and the offset to commit. */
export class OffsetTracker {
  private offsets: TrackedOffset[] = [];
  private head = 0;
  private finishedTo?: number;
  private committedTo?: number;

  track(offset: number): TrackedOffset {
    const tracked = { offset, finished: false };
    this.offsets.push(tracked);
    return tracked;
  }

  /** The offset before which everything is finished; `undefined` when it is committed already. */
  get toCommit(): number | undefined {
    while (this.head < this.offsets.length && this.offsets[this.head]!.finished) {
      this.finishedTo = this.offsets[this.head]!.offset + 1;
      this.head += 1;
    }
    if (this.head > COMPACT_AFTER) {
      this.offsets = this.offsets.slice(this.head);
      this.head = 0;
    }
    return this.finishedTo === this.committedTo ? undefined : this.finishedTo;
  }

  committed(offset: number): void {
    this.committedTo = offset;
  }
}
