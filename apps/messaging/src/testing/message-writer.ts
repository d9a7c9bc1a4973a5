import { setTimeout as delay } from 'node:timers/promises';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { openDataSource } from '@tidings/persistence/data-source';
import { Database, type Queryable } from '@tidings/persistence/database';
import type { DataSource } from 'typeorm';
import { HistorySource } from '../publish/history-publisher';
import type { LeafRecord } from '../record/leaf-record';
import { type MessageStep, storeSteps } from '../record/step-store';
import { finishDeliveries } from '../record/delivery-store';

/** A second process of the service: writes messages with the service's own statements, in transactions that the spec controls. */
export class MessageWriter {
  readonly database: Database;
  readonly source: HistorySource;

  private constructor(private readonly dataSource: DataSource) {
    this.database = new Database(dataSource);
    this.source = new HistorySource(this.database);
  }

  static async open(databaseUrl: string): Promise<MessageWriter> {
    return new MessageWriter(await openDataSource({ databaseUrl, schema: 'messaging', entities: [], migrations: [] }));
  }

  close(): Promise<void> {
    return this.dataSource.destroy();
  }

  /** A routed message with the first four events of its history. */
  routed(workspaceId: string, fields: { data?: object; profile?: object; html?: string } = {}): MessageStep & { messageId: string } {
    const at = Date.now();
    const messageId = newMessageId(at);
    const { data = {}, profile = { email: 'ada@example.com' }, html = '<p>Hello</p>' } = fields;
    const where = { channel: { id: 'email' }, integration: { id: 'default', provider: 'smtp' } };
    const events: HistoryEvent[] = [
      { ts: at, type: 'ENQUEUED', data, event: '', profile, recipient: 'ada' },
      { ts: at, type: 'PROFILE_LOADED', stored_profile: profile },
      { ts: at, type: 'ROUTED', ...where },
      { ts: at, type: 'RENDERED', ...where, output: { subject: 'Hello', html, text: 'Hello' } },
    ];
    return {
      messageId,
      workspaceId,
      uuid: messageIdToUuid(messageId)!,
      status: 'ROUTED',
      recipient: 'ada',
      event: '',
      notification: '',
      enqueued_at: at,
      at,
      events,
      deliveries: [],
      open: null,
    };
  }

  /** Stores messages in one commit, and notifies. */
  async route(...messages: MessageStep[]): Promise<void> {
    await storeSteps(this.database, messages, Date.now());
    this.source.notifyCommitted();
  }

  /** Ends one delivery (`leaf`) of a message and notifies. The commit comes `slowMs` after the events got their sequence. */
  async finish(message: MessageStep, leaf: number, slowMs = 0): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.finishWithin(tx, message, leaf);
      if (slowMs > 0) await delay(slowMs);
    });
    this.source.notifyCommitted();
  }

  /** Opens and ends one delivery (`leaf`) of a message; adds two events to its history. */
  async finishWithin(connection: Queryable, message: MessageStep, leaf: number): Promise<void> {
    const { workspaceId: workspace_id, uuid: id } = message;
    await connection.query(
      `insert into deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
       values ($1, $2, $3, 'email', 'smtp', 1, true, clock_timestamp() + interval '1 hour')`,
      [id, leaf, workspace_id],
    );
    const at = Date.now();
    const reference = { leaf: String(leaf) };
    const events: HistoryEvent[] = [
      { ts: at, type: 'SENT', leaf },
      { ts: at, type: 'DELIVERED', leaf, reference },
    ];
    const record: LeafRecord = {
      channel: { key: 'email' },
      provider: 'smtp',
      status: 'DELIVERED',
      sent: at,
      delivered: at,
      reference,
    };
    await finishDeliveries(connection, [{ workspace_id, id, leaf, attempt: 1, more: false, record, at, events }]);
  }
}
