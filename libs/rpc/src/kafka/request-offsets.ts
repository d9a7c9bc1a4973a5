/** More requests than a member fetches between two commits; the oldest are forgotten first. */
const REQUESTS_MAX = 30_000;

/** A fetched request, with one or more offsets. */
export interface FetchedRequest {
  /** Answered, or past its deadline. */
  finished: boolean;
}

/** Requests that are open or recently answered in this member: after a rebalance uncommitted ones are delivered again. */
export class RequestDeduplicator {
  private readonly requests = new Map<string, FetchedRequest>();

  /** The request with this id; `isNew` when it is to be answered, not when it is open or finished already. */
  begin(id: string): { request: FetchedRequest; isNew: boolean } {
    const existing = this.requests.get(id);
    if (existing) return { request: existing, isNew: false };
    if (this.requests.size >= REQUESTS_MAX) this.requests.delete(this.requests.keys().next().value!);
    const request = { finished: false };
    this.requests.set(id, request);
    return { request, isNew: true };
  }
}

/** Offsets fetched of a partition, in order, and the offset to commit. */
export class OffsetTracker {
  private readonly uncommitted: { offset: number; request: Readonly<FetchedRequest> }[] = [];
  private finishedTo?: number;
  private committedTo?: number;

  track(offset: number, request: Readonly<FetchedRequest>): void {
    this.uncommitted.push({ offset, request });
  }

  /** The offset before which everything is finished; `undefined` when it is committed already. */
  get toCommit(): number | undefined {
    const open = this.uncommitted.findIndex(({ request }) => !request.finished);
    const finished = this.uncommitted.splice(0, open < 0 ? this.uncommitted.length : open);
    if (finished.length > 0) this.finishedTo = finished.at(-1)!.offset + 1;
    return this.finishedTo === this.committedTo ? undefined : this.finishedTo;
  }

  committed(offset: number): void {
    this.committedTo = offset;
  }
}
