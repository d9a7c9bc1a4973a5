import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { assertSenderAllowed, type GivenSender, senderRefusal } from '@tidings/contracts/messaging/given-sender';
import { type AllowedSenders, senders } from '@tidings/contracts/messaging/senders';
import { OperationClient } from '@tidings/rpc/operation-client';

const WORKSPACES_MAX = 1_000;
/** For so long a domain may be accepted that is no longer allowed: then its messages end when they are sent. */
const CACHED_MS = 60_000;
/** After it every sender is accepted. */
const DEADLINE_MS = 2_000;

/**
 * Checks the senders that sends give to their e-mails. Messaging checks them again before it sends, so while it cannot answer, every
 * sender is accepted: a send depends on the log alone.
 */
@Injectable()
export class GivenSenders {
  private readonly lists = new LRUCache<string, AllowedSenders, CallContext>({
    max: WORKSPACES_MAX,
    ttl: CACHED_MS,
    fetchMethod: (_workspaceId, _earlier, { context }) => this.client.call(senders.allowed, context, {}, { deadlineMs: DEADLINE_MS }),
  });

  constructor(private readonly client: OperationClient) {}

  /** @throws ServiceError `forbidden` naming the field and the sender. */
  async assertAllowed({ requestKey: _key, ...context }: CallContext, sender: GivenSender) {
    const cached = this.lists.get(context.workspaceId);
    if (cached && senderRefusal(sender, cached.allowed) === undefined) return;
    const list = await this.lookUp(context);
    if (list) assertSenderAllowed(sender, list.allowed);
  }

  private async lookUp(context: CallContext) {
    try {
      return await this.lists.fetch(context.workspaceId, { context, forceRefresh: true });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return undefined;
    }
  }
}
