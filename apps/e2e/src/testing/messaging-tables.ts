import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { Client } from 'pg';
import type { MessageRecord } from './api-client';
import type { System } from './system';

/** A message as messaging keeps it. */
export interface StoredMessage {
  id: string;
  /** Of a message that was derived: the request it comes from, or the job. */
  requestId?: string;
  /** Of its last history event. */
  number: number;
  /** Of its history events, in their order. */
  types: string[];
  record: Omit<MessageRecord, 'reason'>;
}

/** How much of each kind is not over yet. */
export interface Unfinished {
  expansions: number;
  waiting: number;
  deliveries: number;
}

interface StoredRow {
  id: string;
  status: string;
  recipient: string;
  error: string | null;
  enqueued_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  request_id: string | null;
  providers: (MessageRecord['providers'][number] & { reason?: string })[] | null;
  last_number: number;
  types: string[];
}

const ATTEMPTS = `select message_id || '/' || leaf || '/' || attempt as name from messaging.deliveries where attempt_open`;

const UNFINISHED = `
  select (select count(*)::integer from messaging.expansions) as expansions,
         (select count(*)::integer from messaging.open_messages) as waiting,
         (select count(*)::integer from messaging.deliveries) as deliveries`;

const MESSAGES = `
  select id, status, recipient, error, enqueued_at, sent_at, delivered_at, request_id, providers, last_number,
         array(select event ->> 'type' from messaging.history, json_array_elements(events) with ordinality as told(event, place)
               where history.message_id = messages.id order by number, place) as types
  from messaging.messages order by id`;

/**
 * Messaging's own tables, for what the interface does not show, or not of thousands at once: what was under way in the moment a process
 * was killed, and that nothing is left half-way. Each look has a connection of its own, since the database itself may be another one
 * after a kill.
 */
export class MessagingTables {
  constructor(private readonly system: System) {}

  /** Attempts whose outcome is not written, each by message, delivery and number. */
  async openAttempts(): Promise<string[]> {
    return (await this.rows<{ name: string }>(ATTEMPTS)).map(({ name }) => name);
  }

  async unfinished(): Promise<Unfinished> {
    const [row] = await this.rows<Unfinished>(UNFINISHED);
    return row!;
  }

  /** Every message there is, once each of `ids` has one and nothing is under way; `undefined` before. Both are read of one moment. */
  async finished(ids: readonly string[]): Promise<StoredMessage[] | undefined> {
    return this.connected(async (client) => {
      await client.query('begin isolation level repeatable read read only');
      const { rows: unfinished } = await client.query<Unfinished>(UNFINISHED);
      const { expansions, waiting, deliveries } = unfinished[0]!;
      if (expansions + waiting + deliveries > 0) return undefined;
      const messages = (await client.query<StoredRow>(MESSAGES)).rows.map(toStored);
      const stored = new Set(messages.map(({ id }) => id));
      return ids.every((id) => stored.has(id)) ? messages : undefined;
    });
  }

  private rows<Row extends object>(text: string): Promise<Row[]> {
    return this.connected(async (client) => (await client.query<Row>(text)).rows);
  }

  private async connected<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = new Client({ connectionString: this.system.roleUrl('messaging') });
    client.on('error', () => undefined); // the statement says it
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

function toStored({ id: uuid, last_number: number, types, request_id, ...row }: StoredRow): StoredMessage {
  const { status, recipient, error, enqueued_at, sent_at, delivered_at, providers } = row;
  const id = uuidToMessageId(uuid);
  const record = {
    id,
    status,
    recipient,
    ...(error && { error }),
    enqueued: Number(enqueued_at),
    ...(sent_at && { sent: Number(sent_at) }),
    ...(delivered_at && { delivered: Number(delivered_at) }),
    // Why a way failed is told by its event.
    providers: (providers ?? []).map(({ reason: _reason, ...way }) => way),
  };
  return { id, number, types, record, ...(request_id && { requestId: uuidToMessageId(request_id) }) };
}
