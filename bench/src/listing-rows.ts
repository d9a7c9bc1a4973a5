import { setTimeout as delay } from 'node:timers/promises';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { encodeCursor } from '@tidings/persistence/page';
import { insertMessages, WEEK_SECONDS, WEEKS } from '@tidings/testing/many-messages';
import { Client } from 'pg';
import type { Product } from './product';
import { productDatabaseUrl } from './product-database';
import { type Query, request } from './queries';

const ROUTED_MS_MAX = 10_000;
const POLL_MS = 50;

/** Positions in the inserted messages. */
export interface Landmarks {
  /** Cursor of a page in the middle. */
  cursor: string;
  traceId: string;
}

/** Inserts messages, see `insertMessages`. */
export async function fillMessages(product: Product, messages: number): Promise<Landmarks> {
  await request(product, '/send', {
    method: 'POST',
    body: JSON.stringify({ message: { to: { email: 'first@example.com' }, content: { title: 'First', body: 'First' } } }),
  });
  const client = new Client({ connectionString: productDatabaseUrl(product.dataDirectory), application_name: 'bench' });
  await client.connect();
  try {
    const workspace = await workspaceOfMessages(client);
    const now = Math.floor(Date.now() / 1000);
    await insertMessages(client, workspace, messages, now);
    const { rows } = await client.query<{ id: string; trace_id: string }>(MIDDLE, [workspace, now - (WEEKS / 2) * WEEK_SECONDS]);
    const { id, trace_id: traceId } = rows[0]!;
    return { cursor: encodeCursor('messages', [uuidToMessageId(id)]), traceId };
  } finally {
    await client.end();
  }
}

/** Single filters with common and rare values, and pairs of filters. */
export function listingQueries(messages: number, { cursor, traceId }: Landmarks): Query[] {
  const users = Math.floor(messages / 10);
  // 7,919 is a prime that divides no round number of users.
  const someUser = (n: number): string => `user-${(n * 7_919) % users}`;
  const monthAgo = Date.now() - 30 * 24 * 3_600_000;
  const fixed: [name: string, query: string][] = [
    ['no filter', ''],
    ['no filter, archived too', 'archived=true'],
    ['no filter, a page in the middle', `cursor=${cursor}`],
    ['status, common', 'status=DELIVERED'],
    ['status, 1 %', 'status=UNDELIVERABLE'],
    ['status, rare', 'status=CANCELED'],
    ['three statuses', 'status=UNDELIVERABLE,CANCELED,UNROUTABLE'],
    ['event, common', 'event=shipped'],
    ['event, rare', 'event=seldom'],
    ['notification, common', 'notification=nt_shipped'],
    ['notification, rare', 'notification=nt_seldom'],
    ['tag, common', 'tags=prod'],
    ['tag, rare', 'tags=needle'],
    ['any of two tags', 'tags=vip,needle'],
    ['list', 'list=all.customers'],
    ['tenant', 'tenant_id=acme'],
    ['provider, common', 'provider=smtp'],
    ['provider, rare', 'provider=http'],
    ['trace id', `traceId=${traceId}`],
    ['enqueued in the last month', `enqueued_after=${monthAgo}`],
    ['status 1 % and tag 1 %', 'status=UNDELIVERABLE&tags=vip'],
    ['status 1 % and tag rare', 'status=UNDELIVERABLE&tags=needle'],
    ['status rare and event common', 'status=CANCELED&event=shipped'],
    ['event and notification, common', 'event=shipped&notification=nt_shipped'],
    ['tenant and status 1 %', 'tenant_id=acme&status=UNDELIVERABLE'],
    ['provider common and status rare', 'provider=smtp&status=CANCELED'],
    ['status 1 % of the last month', `status=UNDELIVERABLE&enqueued_after=${monthAgo}`],
    ['no match', 'tags=prod&event=seldom&status=OPENED'],
  ];
  return [
    ...fixed.map(([name, query]) => ({ name, pathOf: () => `/messages?${query}` })),
    { name: 'recipient', pathOf: (n) => `/messages?recipient=${someUser(n)}` },
    { name: 'recipient and status', pathOf: (n) => `/messages?recipient=${someUser(n)}&status=DELIVERED` },
  ];
}

async function workspaceOfMessages(client: Client): Promise<string> {
  for (const until = performance.now() + ROUTED_MS_MAX; performance.now() < until; await delay(POLL_MS)) {
    const { rows } = await client.query<{ id: string }>('select workspace_id::text as id from messaging.messages');
    if (rows[0]) return rows[0].id;
  }
  throw new Error(`The first message was not routed within ${ROUTED_MS_MAX / 1000} s`);
}

const MIDDLE = `
  select id, trace_id from messages
   where workspace_id = $1 and trace_id is not null and id < (lpad(to_hex($2::bigint), 8, '0') || repeat('0', 24))::uuid
   order by id desc limit 1`;
