import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import type { MessageRecord } from './api-client';
import type { System } from './system';

/** A message as messaging stores it. */
export interface StoredMessage {
  id: string;
  /** The request or job of a derived message. */
  requestId?: string;
  /** Number of its last history event. */
  number: number;
  /** Types of its history events, in order. */
  types: string[];
  record: Omit<MessageRecord, 'reason'>;
}

/** Rows of unfinished work, by kind. */
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

const FINISH_POLL_MS = 500;

const ATTEMPTS = `select message_id || '/' || leaf || '/' || attempt as name from messaging.deliveries where attempt_open`;

const UNFINISHED = `
  select (select count(*)::integer from messaging.expansions) as expansions,
         (select count(*)::integer from messaging.open_messages) as waiting,
         (select count(*)::integer from messaging.deliveries) as deliveries`;

const MESSAGES = `
  select id, status, recipient, error, enqueued_at, sent_at, delivered_at, request_id, providers, last_number,
         array(select event ->> 'type' from messaging.history, json_array_elements(events) with ordinality as entries(event, ordinal)
               where history.message_id = messages.id order by number, ordinal) as types
  from messaging.messages order by id`;

/**
 * Reads messaging's tables for state that the HTTP interface does not show, or not of thousands of messages: work in progress at a
 * kill, and that none is left unfinished. Each query opens its own connection, since a kill may replace the database process.
 */
export class MessagingTables {
  constructor(private readonly system: System) {}

  /** Attempts without a stored outcome, each as `message/leaf/attempt`. */
  async openAttempts(): Promise<string[]> {
    return (await this.rows<{ name: string }>(ATTEMPTS)).map(({ name }) => name);
  }

  async unfinished(): Promise<Unfinished> {
    const [row] = await this.rows<Unfinished>(UNFINISHED);
    return row!;
  }

  /** Waits until each of `ids` exists and no work is unfinished; resolves with all messages. The error states what is unfinished. */
  async untilFinished(ids: readonly string[], timeoutMs: number): Promise<StoredMessage[]> {
    try {
      return await waitUntil(() => this.finished(ids), { what: 'the end of all work', timeoutMs, intervalMs: FINISH_POLL_MS });
    } catch (error) {
      const unfinished = await this.unfinished().then(JSON.stringify, String);
      throw new Error(`${(error as Error).message}; unfinished: ${unfinished}`, { cause: error });
    }
  }

  /** All messages, once each of `ids` exists and no work is unfinished; else `undefined`. Read from one snapshot. */
  private async finished(ids: readonly string[]): Promise<StoredMessage[] | undefined> {
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
    client.on('error', () => undefined); // the next statement rejects with it
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
    // The reason of a failed route is in its event.
    providers: (providers ?? []).map(({ reason: _reason, ...provider }) => provider),
  };
  return { id, number, types, record, ...(request_id && { requestId: uuidToMessageId(request_id) }) };
}
