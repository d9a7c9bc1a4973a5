/** A finished prefix longer than this is cut off the list. */
const COMPACT_AFTER = 1_024;

export interface TrackedOffset {
  readonly offset: number;
  finished: boolean;
}

/** What was fetched of a partition, in order, and how far everything is finished. */
export class OffsetTracker {
  private tickets: TrackedOffset[] = [];
  private head = 0;
  private finishedTo?: number;
  private committedTo?: number;

  open(offset: number): TrackedOffset {
    const ticket = { offset, finished: false };
    this.tickets.push(ticket);
    return ticket;
  }

  /** The place before which everything is finished; `undefined` when it was committed already. */
  get toCommit(): number | undefined {
    while (this.head < this.tickets.length && this.tickets[this.head]!.finished) {
      this.finishedTo = this.tickets[this.head]!.offset + 1;
      this.head += 1;
    }
    if (this.head > COMPACT_AFTER) {
      this.tickets = this.tickets.slice(this.head);
      this.head = 0;
    }
    return this.finishedTo === this.committedTo ? undefined : this.finishedTo;
  }

  committed(offset: number): void {
    this.committedTo = offset;
  }
}
