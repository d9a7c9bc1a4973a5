import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Product } from './product';
import { productDatabaseUrl } from './product-database';

export const ADMIN_KEY = randomBytes(24).toString('base64url');

const LIST = 'everybody';
/** Subscribers of one call: near the 6 MB that a body may have. */
const PER_CALL = 180_000;
const LOOK_MS = 100;
const STARTED_MS_MAX = 60_000;

/** A workspace of its own with a list of very many, in the product that is measured with another one. */
export class Crowd {
  private constructor(
    private readonly product: Product,
    private readonly workspaceId: string,
    private readonly key: string,
    private readonly size: number,
    private readonly client: Client,
  ) {}

  /** Makes workspace, list, subscriptions (through the interface) and profiles (by SQL). */
  static async gather(product: Product, size: number): Promise<Crowd> {
    const made = await call(product, 'POST', '/admin/workspaces', ADMIN_KEY, { name: 'crowd', account_email: 'crowd@example.com' });
    const workspaceId = String(made.workspace_id ?? made.id);
    const { key } = await call(product, 'POST', `/admin/workspaces/${workspaceId}/keys`, ADMIN_KEY, { mode: 'production' });
    const client = new Client({ connectionString: productDatabaseUrl(product.dataDirectory), application_name: 'bench' });
    await client.connect();
    const crowd = new Crowd(product, workspaceId, String(key), size, client);
    await call(product, 'PUT', `/lists/${LIST}`, crowd.key, { name: LIST });
    for (let from = 0; from < size; from += PER_CALL) {
      const recipients = Array.from({ length: Math.min(PER_CALL, size - from) }, (_, n) => ({ recipientId: `user-${from + n}` }));
      await call(product, 'POST', `/lists/${LIST}/subscriptions`, crowd.key, { recipients });
    }
    await client.query(
      `insert into identity.profiles (workspace_id, user_id, profile)
       select $1::uuid, 'user-' || n, jsonb_build_object('email', 'user-' || n || '@example.com') from generate_series(0, $2::int - 1) as n
       on conflict do nothing`,
      [workspaceId, size],
    );
    for (const table of ['identity.profiles', 'audience.subscriptions']) await client.query(`vacuum analyze ${table}`);
    return crowd;
  }

  /** Sends to everybody; resolves when the first messages are made. */
  async send(): Promise<void> {
    await call(this.product, 'POST', '/send', this.key, {
      message: { to: { list_id: LIST }, content: { title: 'News', body: 'There is something new for all of you.' } },
    });
    for (const until = performance.now() + STARTED_MS_MAX; performance.now() < until; await delay(LOOK_MS)) {
      if ((await this.made()) > 0) return;
    }
    throw new Error('The send to the list made no message');
  }

  /** Messages made so far. */
  async made(): Promise<number> {
    const { rows } = await this.client.query<{ made: number }>(
      'select count(*)::integer as made from messaging.messages where workspace_id = $1',
      [this.workspaceId],
    );
    return rows[0]!.made;
  }

  /** Whether somebody still has no message. */
  async isUnderWay(): Promise<boolean> {
    return (await this.made()) < this.size;
  }

  close(): Promise<void> {
    return this.client.end();
  }
}

async function call(product: Product, method: string, path: string, key: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${product.port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
