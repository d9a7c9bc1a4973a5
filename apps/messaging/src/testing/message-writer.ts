import { setTimeout as delay } from 'node:timers/promises';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/messages';
import { openDataSource } from '@tidings/persistence/data-source';
import { Database, type Queryable } from '@tidings/persistence/database';
import type { DataSource } from 'typeorm';
import { HistorySource } from '../publishing/history-source';
import { finishDeliveries } from '../store/outcome-store';
import { insertRouted, type RoutedMessage } from '../store/routed-store';

/** Another process of the service that writes messages by the service's own statements, in transactions of a spec's choice. */
export class MessageWriter {
  readonly database: Database;
  readonly source: HistorySource;

  private constructor(private readonly dataSource: DataSource) {
    this.database = Database.of(dataSource);
    this.source = new HistorySource(this.database);
  }

  static async open(databaseUrl: string): Promise<MessageWriter> {
    return new MessageWriter(await openDataSource({ databaseUrl, schema: 'messaging', entities: [], migrations: [] }));
  }

  close(): Promise<void> {
    return this.dataSource.destroy();
  }

  /** A routed message with the first four events of its history. */
  routed(workspaceId: string, fields: { data?: object; profile?: object; html?: string } = {}): RoutedMessage & { messageId: string } {
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
      workspace_id: workspaceId,
      id: messageIdToUuid(messageId)!,
      status: 'ROUTED',
      recipient: 'ada',
      event: '',
      notification: '',
      enqueued_at: at,
      at,
      events,
      count: events.length,
    };
  }

  /** Stores messages in one commit, and rings. */
  async route(...messages: RoutedMessage[]): Promise<void> {
    await insertRouted(this.database, messages);
    this.source.ring();
  }

  /** One delivery (`leaf`) of a message ends, in one commit that takes `slowMs` after its place in the order is fixed; rings. */
  async finish(message: RoutedMessage, leaf: number, slowMs = 0): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.finishWithin(tx, message, leaf);
      if (slowMs > 0) await delay(slowMs);
    });
    this.source.ring();
  }

  /** One delivery (`leaf`) of a message is opened and ends; two events are added to its history. */
  async finishWithin(connection: Queryable, message: RoutedMessage, leaf: number): Promise<void> {
    const { workspace_id, id } = message;
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
    const providers = [{ channel: { key: 'email', template: '' }, provider: 'smtp', status: 'DELIVERED', sent: at, reference }];
    const outcome = { workspace_id, id, leaf, attempt: 1, status: 'DELIVERED' as const, sent_at: at, delivered_at: at, providers };
    await finishDeliveries(connection, [{ ...outcome, at, events, count: events.length }]);
  }
}
