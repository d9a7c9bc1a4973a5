import type { CallContext } from '@tidings/contracts/core/context';
import { conflict } from '@tidings/contracts/core/refusals';
import { storableObject } from '@tidings/contracts/core/text';
import { inbound, INBOUND_ID_RETENTION_MS, INBOUND_PROPERTIES_BYTES_MAX, type TrackEvent } from '@tidings/contracts/messaging/inbound';
import { newMessageId, requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import { transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import type { EntityManager } from 'typeorm';
import { STORE_OCCURRENCE } from './inbound-store';

/** Accepts events that clients track. No consumer reads them yet, so only the id is stored, not the event or its user. */
@Handles(inbound)
export class InboundHandlers {
  constructor(private readonly clock: Clock) {}

  async accept({ workspaceId }: CallContext, request: TrackEvent, tx: EntityManager) {
    const { event, messageId: clientId, type: _type, properties, userId, ...rest } = request;
    rest satisfies Record<string, never>;
    storableObject('properties', properties, INBOUND_PROPERTIES_BYTES_MAX);

    const nowMs = this.clock.now();
    const messageId = newMessageId(nowMs);
    const values = [workspaceId, clientId, requireMessageUuid(messageId), nowMs, nowMs - INBOUND_ID_RETENTION_MS];
    const isFirst = (await transactionOf(tx).execute(STORE_OCCURRENCE, values)) > 0;
    if (!isFirst) throw conflict(`messageId ${clientId} was tracked already`);
    return { messageId };
  }
}
