import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import type { Teardown } from '@tidings/runtime/teardown';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { describeWithKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import type { Topology } from './testing/installation';
import { untilAllDelivered } from './testing/delivered';
import { mapConcurrently } from './testing/map-concurrently';
import { describeWithPgBouncer, PgBouncer, type PoolMode } from './testing/pgbouncer';
import { SendLoad } from './testing/send-load';
import { System } from './testing/system';
import { withTeardown } from './testing/tear-down';

const SENDS = 200;
const CONNECTIONS = 16;
const MEMBERS = 60;
const DELIVERY_TIMEOUT_MS = 120_000;
/** In transaction mode: fewer connections to the server than the pools of the processes have. */
const SHARED_CONNECTIONS = 3;
/** In session mode each connection of a process has one of its own. */
const SESSION_CONNECTIONS = 40;
const SERVER_CONNECTIONS = 200;

interface Fixture {
  system: System;
  smtp: CapturingSmtp;
  /** Counts the connections of each role, and those that go past the pooler. */
  connections(): Promise<{ role: string; pooled: number; direct: number }[]>;
}

async function startBehind(teardown: Teardown, mode: PoolMode, topology: Topology): Promise<Fixture> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidings-pooled-'));
  teardown.add('the folder', () => rmSync(folder, { recursive: true, force: true }));
  const settings = { max_connections: SERVER_CONNECTIONS };
  const postgres = await EmbeddedPostgres.start({ directory: folder, durable: false, settings });
  teardown.add('PostgreSQL', () => postgres.stop());
  const poolSize = mode === 'session' ? SESSION_CONNECTIONS : SHARED_CONNECTIONS;
  const pooler = await PgBouncer.start({ adminUrl: postgres.adminUrl, mode, poolSize });
  teardown.add('PgBouncer', () => pooler.stop());
  const smtp = await CapturingSmtp.start({ withoutContent: true });
  teardown.add('the mail server', () => smtp.close());
  const system = await System.start({
    topology,
    smtpUrl: smtp.url,
    databaseUrl: pooler.url,
    environment: mode === 'transaction' ? { DATABASE_POOLER: mode, DATABASE_DIRECT_URL: postgres.adminUrl } : {},
  });
  teardown.add('the product', () => system.stop());
  const admin = new Client({ connectionString: postgres.adminUrl });
  await admin.connect();
  teardown.add('the observer', () => admin.end());
  const connections = async () => {
    const { rows } = await admin.query<{ role: string; pooled: number; direct: number }>(
      `SELECT usename::text AS role, count(*) FILTER (WHERE application_name !~ 'relay|events')::int AS pooled,
         count(*) FILTER (WHERE application_name ~ 'relay|events')::int AS direct
       FROM pg_stat_activity WHERE usename LIKE 'tidings%' GROUP BY 1 ORDER BY 1`,
    );
    return rows;
  };
  return { system, smtp, connections };
}

describeWithKafka('PostgreSQL behind PgBouncer', () => {
  describeWithPgBouncer('of Debian', () => {
    // Each mode and each topology once: neither depends on the other.
    it.each([
      ['session', 'standalone'],
      ['transaction', 'kafka'],
    ] as const)('in %s mode serves every part of the product (%s)', (mode, topology) =>
      withTeardown(async (teardown) => {
        const { system, smtp, connections } = await startBehind(teardown, mode, topology);
        const { client } = system;

        // Commands with keys, pages, notifications between processes, relays, claimed work.
        const members = Array.from({ length: MEMBERS }, (_, n) => `member-${n}`);
        await mapConcurrently(members, async (user) => {
          const { status } = await client.request('PUT', `/profiles/${user}`, { body: { profile: { email: `${user}@example.com` } } });
          expect(status).toBe(200);
        });
        await client.request('PUT', '/lists/everybody', { body: { name: 'Everybody' } });
        const subscribed = await client.request('POST', '/lists/everybody/subscriptions', {
          body: { recipients: members.map((recipientId) => ({ recipientId })) },
        });
        expect(subscribed.status).toBeLessThan(300);
        const content = { title: 'Hello', body: 'It works' };
        const fanOut = await client.request('POST', '/send', { body: { message: { to: { list_id: 'everybody' }, content } } });
        expect(fanOut.status).toBe(202);
        const load = new SendLoad(client, 'pooled');
        await load.flood(SENDS, CONNECTIONS, () => undefined);

        expect(load.tally).toEqual({ 202: SENDS });
        await untilAllDelivered(
          client,
          load.accepted.map(({ id }) => id),
          DELIVERY_TIMEOUT_MS,
        );
        const all = SENDS + MEMBERS;
        await waitUntil(() => smtp.mails.length >= all, { what: `${all} mails`, timeoutMs: DELIVERY_TIMEOUT_MS });
        const counts = await connections();
        if (mode === 'transaction') for (const { pooled } of counts) expect(pooled).toBeLessThanOrEqual(SHARED_CONNECTIONS);
        expect(counts.map(({ role }) => role)).toEqual(expect.arrayContaining(['tidings_identity', 'tidings_messaging']));

        // A restart finds connections in the pooler that an earlier process used.
        await system.restart();
        await client.messageOnce('DELIVERED', await client.send('after-restart@example.com'), { timeoutMs: DELIVERY_TIMEOUT_MS });
      }),
    );
  });
});
