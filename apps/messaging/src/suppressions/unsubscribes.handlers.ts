import type { CallContext } from '@tidings/contracts/core/context';
import { SUPPRESSION_SOURCES } from '@tidings/contracts/messaging/suppressions';
import { type UnsubscribeAddress, unsubscribes } from '@tidings/contracts/messaging/unsubscribes';
import { transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import type { EntityManager } from 'typeorm';
import { Suppressions } from './suppressions';

@Handles(unsubscribes)
export class UnsubscribesHandlers {
  constructor(private readonly suppressions: Suppressions) {}

  /** The link of a message outlives the erasure of its recipient: then the address is stored as a hash alone. */
  async add({ workspaceId }: CallContext, { channel, address, message_id: messageId, ...rest }: UnsubscribeAddress, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const transaction = transactionOf(tx);
    const report = { workspaceId, channel, address, reason: 'unsubscribe', source: SUPPRESSION_SOURCES.link } as const;
    const isErased = await this.suppressions.suppress(transaction, [{ ...report, messageId }]);
    if (!isErased) return;
    await this.suppressions.suppress(transaction, [report]);
    await this.suppressions.erase(transaction, workspaceId, [], [report]);
  }
}
