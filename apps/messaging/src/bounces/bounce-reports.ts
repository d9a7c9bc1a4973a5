import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { PROVIDER_EVENT_LENGTHS, type ProviderEventReported, providerEventReported } from '@tidings/contracts/messaging/provider-events';
import type { EventLog } from '@tidings/events/event-log';
import { Database, statement } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { EVENT_LOG } from '@tidings/runtime/resources.module';
import { DEFAULT_INTEGRATION_ID } from '../providers/provider-configurations';
import { storable } from '../record/storable';
import { type UndeliveredRecipient, undeliveredIn } from './delivery-report';

/** The kind of the operator's mail server. */
const PROVIDER = 'smtp';

// SQL because the history has no entity.
const WORKSPACE = statement(
  'messaging.workspace_of_bounce',
  'select workspace_id as "workspaceId" from history where message_id = $1 and number = 1',
);

/** What mail servers report of our mails. */
@Injectable()
export class BounceReports {
  constructor(
    @Inject(EVENT_LOG) private readonly events: EventLog,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Appends what a mail to the return paths of these messages reports, and resolves with the number of its events: none where it is no
   * delivery report. Rejects where the log or the database is unavailable.
   */
  async receive(mail: Buffer, messageIds: ReadonlySet<string>): Promise<number> {
    const undelivered = await undeliveredIn(mail);
    if (undelivered.length === 0) return 0;
    const events: ProviderEventReported[] = [];
    for (const messageId of messageIds) {
      const [found] = await this.database.query<{ workspaceId: string }>(WORKSPACE, [messageIdToUuid(messageId)]);
      if (!found) continue; // its history is over
      events.push(...undelivered.map((one) => toReported(one, { ...found, messageId }, this.clock.now())));
    }
    await this.events.append(
      providerEventReported,
      events.map((payload) => ({ id: payload.eventId, payload })),
    );
    return events.length;
  }
}

function toReported(
  { address, reasonCode, status, diagnostic }: UndeliveredRecipient,
  { workspaceId, messageId }: { workspaceId: string; messageId: string },
  at: number,
): ProviderEventReported {
  const bounded = (text: string | undefined, lengthMax: number) => text && storable(text.slice(0, lengthMax));
  return {
    workspaceId,
    subject: messageId,
    eventId: createHash('sha256')
      .update(JSON.stringify([messageId, address, status]))
      .digest('base64url'),
    provider: PROVIDER,
    configurationId: DEFAULT_INTEGRATION_ID,
    kind: 'BOUNCED',
    at,
    messageId,
    address: bounded(address, PROVIDER_EVENT_LENGTHS.address),
    reasonCode,
    details: bounded(diagnostic, PROVIDER_EVENT_LENGTHS.details),
    code: status,
  };
}
