import type { TrackedOffset } from './offset-tracker';

/** More requests than a member fetches between two commits; the oldest are forgotten first. */
const REQUESTS_MAX = 30_000;

interface Request {
  /** Every offset at which the request was fetched; `undefined` when it is finished. */
  open?: TrackedOffset[];
}

/** Requests that are open or recently answered in this member: after a rebalance uncommitted ones are delivered again. */
export class RequestDeduplicator {
  private readonly requests = new Map<string, Request>();

  /** False when the request exists already: its new offset is finished together with the first one. */
  begin(id: string, offset: TrackedOffset): boolean {
    const existing = this.requests.get(id);
    if (existing) {
      if (existing.open) existing.open.push(offset);
      else offset.finished = true;
      return false;
    }
    if (this.requests.size >= REQUESTS_MAX) this.requests.delete(this.requests.keys().next().value!);
    this.requests.set(id, { open: [offset] });
    return true;
  }

  /** Finishes every offset of a request that is answered or past its deadline. */
  end(id: string, offset: TrackedOffset): void {
    offset.finished = true;
    const request = this.requests.get(id);
    for (const other of request?.open ?? []) other.finished = true;
    if (request) request.open = undefined;
  }
}
