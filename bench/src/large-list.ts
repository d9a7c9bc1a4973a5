import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Product } from './product';
import { productDatabaseUrl } from './product-database';
import { call, createWorkspace } from './second-workspace';

const LIST_ID = 'all-subscribers';
/** Subscribers of one call: close to the 6 MB limit of a body. */
const PER_CALL = 180_000;
const POLL_MS = 100;
const STARTED_MS_MAX = 60_000;

/** A second workspace of the measured product, with a very large list. */
export class LargeList {
  private constructor(
    private readonly product: Product,
    private readonly workspaceId: string,
    private readonly key: string,
    readonly size: number,
    private readonly client: Client,
  ) {}

  /** Creates workspace, list and subscriptions over HTTP, and profiles by SQL. */
  static async create(product: Product, size: number): Promise<LargeList> {
    const { workspaceId, key } = await createWorkspace(product, 'large-list');
    const client = new Client({ connectionString: productDatabaseUrl(product.dataDirectory), application_name: 'bench' });
    await client.connect();
    const list = new LargeList(product, workspaceId, key, size, client);
    await call(product, 'PUT', `/lists/${LIST_ID}`, list.key, { name: LIST_ID });
    for (let from = 0; from < size; from += PER_CALL) {
      const recipients = Array.from({ length: Math.min(PER_CALL, size - from) }, (_, n) => ({ recipientId: `user-${from + n}` }));
      await call(product, 'POST', `/lists/${LIST_ID}/subscriptions`, list.key, { recipients });
    }
    await client.query(
      `insert into identity.profiles (workspace_id, user_id, profile)
       select $1::uuid, 'user-' || n, jsonb_build_object('email', 'user-' || n || '@example.com', 'number', n) from generate_series(0, $2::int - 1) as n
       on conflict do nothing`,
      [workspaceId, size],
    );
    for (const table of ['identity.profiles', 'audience.subscriptions']) await client.query(`vacuum analyze ${table}`);
    return list;
  }

  /** Sends to all subscribers. The sink recognises the mail of each by `run` and its number. */
  async send(run: number): Promise<void> {
    const title = `News #${run}-{profile.number}#`;
    await call(this.product, 'POST', '/send', this.key, {
      message: { to: { list_id: LIST_ID }, content: { title, body: 'There is something new for all of you.' } },
    });
  }

  /** Resolves when messages exist. */
  async untilStarted(): Promise<void> {
    for (const until = performance.now() + STARTED_MS_MAX; performance.now() < until; await delay(POLL_MS)) {
      if ((await this.messageCount()) > 0) return;
    }
    throw new Error('The send to the list made no message');
  }

  /** Number of messages so far. */
  async messageCount(): Promise<number> {
    const { rows } = await this.client.query<{ made: number }>(
      'select count(*)::integer as made from messaging.messages where workspace_id = $1',
      [this.workspaceId],
    );
    return rows[0]!.made;
  }

  /** Whether a subscriber still has no message. */
  async isExpanding(): Promise<boolean> {
    return (await this.messageCount()) < this.size;
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
