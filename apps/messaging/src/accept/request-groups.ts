import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { WaitingRequest } from './backlog';

/** Requests whose messages are all stored that are remembered. */
const REMEMBERED_MAX = 1_000;

type Message = Pick<MessageRequested, 'requestId' | 'workspaceId'>;

/** The messages of requests to several named users, by the request's id, from when they are read until they are stored. */
export class RequestGroups {
  private readonly open = new Map<string, { readonly waiting: WaitingRequest[]; unstored: number }>();
  private readonly stored = new Set<string>();

  /** Adds a message that waits; one of a request to a single recipient belongs to no group. */
  add(waiting: WaitingRequest): void {
    const { requestId } = waiting.request;
    if (requestId === undefined) return;
    const group = this.open.get(requestId);
    if (group) {
      group.waiting.push(waiting);
      group.unstored += 1;
    } else this.open.set(requestId, { waiting: [waiting], unstored: 1 });
  }

  /** The messages of a request that were added and are not all stored; empty for an unknown one. */
  of(requestId: string): readonly WaitingRequest[] {
    return this.open.get(requestId)?.waiting ?? [];
  }

  /** Notes that a message is stored, or is when `stored` resolves. */
  endWith({ requestId }: Message, stored: Promise<void> | undefined): void {
    if (requestId === undefined) return;
    const end = () => {
      const group = this.open.get(requestId);
      if (!group) return;
      group.unstored -= 1;
      if (group.unstored > 0) return;
      this.open.delete(requestId);
      this.stored.add(requestId);
      if (this.stored.size > REMEMBERED_MAX) this.stored.delete(this.stored.values().next().value!);
    };
    if (stored) stored.then(end, () => this.forget({ requestId }));
    else end();
  }

  /** A message was not stored here: it is delivered again, and nothing is known of its request. */
  forget({ requestId }: Pick<Message, 'requestId'>): void {
    if (requestId !== undefined) this.open.delete(requestId);
  }

  /** Whether all messages of a request are known to be stored. */
  hasStored(requestId: string): boolean {
    return this.stored.has(requestId);
  }
}
