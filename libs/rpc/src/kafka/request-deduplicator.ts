import type { TrackedOffset } from './offset-tracker';

/** Above what a member takes between two commits; the oldest are forgotten first. */
const REQUESTS_MAX = 30_000;

interface Request {
  /** Every place in the log at which the request was met; `undefined` when it is answered. */
  open?: TrackedOffset[];
}

/** Requests this member has at work or has just answered: after a rebalance the log brings those it had not committed again. */
export class RequestDeduplicator {
  private readonly requests = new Map<string, Request>();

  /** False when the request is known: its new place is finished with the first one. */
  begin(id: string, ticket: TrackedOffset): boolean {
    const known = this.requests.get(id);
    if (known) {
      if (known.open) known.open.push(ticket);
      else ticket.finished = true;
      return false;
    }
    if (this.requests.size >= REQUESTS_MAX) this.requests.delete(this.requests.keys().next().value!);
    this.requests.set(id, { open: [ticket] });
    return true;
  }

  /** Answered, or given up: every place is finished. */
  end(id: string, ticket: TrackedOffset): void {
    ticket.finished = true;
    const request = this.requests.get(id);
    for (const place of request?.open ?? []) place.finished = true;
    if (request) request.open = undefined;
  }
}
