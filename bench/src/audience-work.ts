import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Product } from './product';
import { productDatabaseUrl, workspaceOfProfiles } from './product-database';

const POLL_MS = 2;
/** Frequent polls of a busy table would slow down the rebuild that is measured. */
const SLOW_POLL_MS = 100;
const WAIT_MS_MAX = 600_000;
const FETCH_MS_MAX = 10_000;

/** Every second person has the plan "gold". Sequence 0: every event of identity is newer. */
const FILL = `insert into audience.people (workspace_id, user_id, profile, profile_sequence)
 select $1::uuid, 'user-' || n, jsonb_build_object('email', 'user-' || n || '@example.com', 'name', 'User ' || n, 'locale', 'en-GB',
        'plan', case when n % 2 = 0 then 'gold' else 'silver' end, 'city', 'London', 'visits', n), 0
   from generate_series($2::int, $3::int - 1) as n on conflict do nothing`;

const SERVED = 'select from audience.audiences where workspace_id = $1 and audience_id = $2 and served_version = version';
const AT_WORK = 'select from audience.audience_rebuilds where workspace_id = $1 limit 1';
const MEMBERSHIPS = `select served_membership from audience.audiences where workspace_id = $1 and audience_id like 'plan-%'`;
const IN = `select from audience.audience_members where workspace_id = $1 and membership = any($2::bigint[]) and user_id = $3`;
const WAITING = 'select from audience.outbox limit 1';

/** Changes a product's audiences over HTTP and reads their state in its database. */
export class AudienceWork {
  private constructor(
    private readonly product: Product,
    private readonly client: Client,
    private readonly workspaceId: string,
  ) {}

  static async on(product: Product): Promise<AudienceWork> {
    await request(product, 'PUT', '/profiles/first', { profile: {} });
    const workspaceId = await workspaceOfProfiles(product.dataDirectory);
    const client = new Client({ connectionString: productDatabaseUrl(product.dataDirectory), application_name: 'bench' });
    await client.connect();
    return new AudienceWork(product, client, workspaceId);
  }

  /** Inserts people `from` to `to` (exclusive) in the form that the projection stores. */
  async fill(from: number, to: number): Promise<void> {
    await this.client.query(FILL, [this.workspaceId, from, to]);
    await this.client.query('vacuum analyze audience.people');
  }

  async put(audienceId: string, filter: object): Promise<void> {
    await request(this.product, 'PUT', `/audiences/${audienceId}`, { filter });
  }

  async remove(audienceId: string): Promise<void> {
    await request(this.product, 'DELETE', `/audiences/${audienceId}`);
  }

  async replaceProfile(userId: string, profile: object): Promise<void> {
    await request(this.product, 'PUT', `/profiles/${userId}`, { profile });
  }

  /** Resolves when the newest version of the audience is served. */
  untilServed(audienceId: string): Promise<void> {
    return this.until(async () => (await this.rows(SERVED, [this.workspaceId, audienceId])) > 0);
  }

  /** Resolves when every rebuild has ended and the outbox is empty. */
  untilQuiet(): Promise<void> {
    const isQuiet = async (): Promise<boolean> =>
      (await this.rows(AT_WORK, [this.workspaceId])) === 0 && (await this.rows(WAITING, [])) === 0;
    return this.until(isQuiet, SLOW_POLL_MS);
  }

  /** Ids of the memberships that the audiences `plan-…` serve now. */
  async memberships(): Promise<string[]> {
    const { rows } = await this.client.query<{ served_membership: string }>(MEMBERSHIPS, [this.workspaceId]);
    return rows.map(({ served_membership }) => served_membership);
  }

  /** Resolves when the user is in exactly `wanted` of these memberships. */
  untilIn(memberships: readonly string[], userId: string, wanted: number): Promise<void> {
    return this.until(async () => (await this.rows(IN, [this.workspaceId, memberships, userId])) === wanted);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  private async rows(text: string, values: unknown[]): Promise<number> {
    return (await this.client.query(text, values)).rowCount ?? 0;
  }

  private async until(condition: () => Promise<boolean>, pollMs = POLL_MS): Promise<void> {
    for (const until = performance.now() + WAIT_MS_MAX; performance.now() < until; await delay(pollMs)) if (await condition()) return;
    throw new Error(`The awaited state was not reached within ${WAIT_MS_MAX / 1000} s:\n${this.product.log}`);
  }
}

async function request({ port, key }: Product, method: string, path: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  const init = { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(FETCH_MS_MAX) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
}
