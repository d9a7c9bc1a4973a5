import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { ApiClient, type ErrorBody } from './testing/api-client';
import { untilAllDelivered } from './testing/delivered';
import { report } from './testing/report';
import { SendLoad } from './testing/send-load';
import { System } from './testing/system';
import { withTeardown } from './testing/tear-down';
const OUTAGE_MS = 10_000;
/** An append that starts as the server dies may be in flight: its outcome is unknown when its deadline of 10 s ends. */
const DYING_MS = 1_000;
const SEND_EVERY_MS = 20;
/** Accepted sends before the outage and after it. */
const ACCEPTED_BEFORE = 100;
const ACCEPTED_AFTER = 100;
/** Guards against a test that does not end. */
const BACK_TIMEOUT_MS = 120_000;
const DELIVERY_TIMEOUT_MS = 180_000;

/** The test's own PostgreSQL, which it can stop. */
class OwnPostgres {
  private readonly directory = mkdtempSync(path.join(tmpdir(), 'tidings-e2e-postgres-'));
  private server!: EmbeddedPostgres;

  static async start(): Promise<OwnPostgres> {
    const postgres = new OwnPostgres();
    await postgres.run();
    return postgres;
  }

  get url(): string {
    return this.server.adminUrl;
  }

  /** Ends the server without a shutdown of its clients; resolves when the process has ended. */
  async crash(): Promise<void> {
    const exited = new Promise<void>((resolve) => (this.onExit = resolve));
    process.kill(this.server.pid, 'SIGQUIT');
    await exited;
  }

  /** Starts on the same address. */
  async restart(): Promise<void> {
    const { port } = this.server;
    await this.run(port);
    if (this.server.port !== port) throw new Error(`Port ${port} is in use meanwhile`);
  }

  async remove(): Promise<void> {
    await this.server.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private onExit: () => void = () => undefined;

  private async run(port?: number): Promise<void> {
    this.server = await EmbeddedPostgres.start({ directory: this.directory, port, durable: true, onUnexpectedExit: () => this.onExit() });
  }
}

describe('PostgreSQL unavailable for 10 s under load', () => {
  it('answers reads with 503, loses no accepted message, and recovers without intervention', () =>
    withTeardown(async (teardown) => {
      const postgres = await OwnPostgres.start();
      teardown.add('the database', () => postgres.remove());
      const smtp = await CapturingSmtp.start({ withoutContent: true });
      teardown.add('the mail server', () => smtp.close());
      const system = await System.start({ smtpUrl: smtp.url, databaseUrl: postgres.url });
      teardown.add('the product', () => system.stop());
      const stop = new AbortController();
      teardown.add('the load', () => stop.abort());
      const { incarnation } = system;
      await system.client.request('PUT', '/profiles/ada', { body: { profile: { email: 'ada@example.com' } } });
      const load = new SendLoad(system.client, 'outage');
      const loaded = load.trickle(SEND_EVERY_MS, stop.signal);
      await waitUntil(() => load.accepted.length >= ACCEPTED_BEFORE, { what: 'sends before the outage' });

      await postgres.crash();
      const downAt = performance.now();
      const reads: { status: number; body: ErrorBody; retryAfter: string | null }[] = [];
      const stranger = new ApiClient(system.url, 'pk_prod_an_unknown_key');
      while (performance.now() - downAt < OUTAGE_MS) {
        for (const client of [system.client, stranger]) {
          const { status, body, headers } = await client.get<ErrorBody>('/profiles/ada');
          reads.push({ status, body, retryAfter: headers.get('retry-after') });
        }
        expect((await system.client.get('/health/live')).status).toBe(200);
        await delay(100); // ten reads a second of each client
      }
      expect((await system.client.get('/health/ready')).status).toBe(system.acceptsWithoutDatabase ? 200 : 503);
      const downUntil = performance.now();
      await postgres.restart();
      const backAt = performance.now();
      const firstAfter = await waitUntil(() => load.accepted.find(({ startedAt }) => startedAt > backAt), {
        what: 'a 202 after the outage',
        timeoutMs: BACK_TIMEOUT_MS,
      });
      await waitUntil(() => load.accepted.filter(({ startedAt }) => startedAt > backAt).length >= ACCEPTED_AFTER, {
        what: 'sends after the outage',
        timeoutMs: BACK_TIMEOUT_MS,
      });
      stop.abort();
      await loaded;

      const accepted = load.accepted;
      const meanwhile = load.sent.filter(({ startedAt, endedAt }) => startedAt > downAt + DYING_MS && endedAt < downUntil);
      report(
        `PostgreSQL unavailable for ${Math.round(downUntil - downAt)} ms: ${JSON.stringify(load.tally)}, of these ${meanwhile.length} started and answered ` +
          `during the outage; the first 202 ${Math.round(firstAfter.endedAt - backAt)} ms after it accepted connections again`,
      );
      expect(meanwhile.length).toBeGreaterThan(0);
      expect(meanwhile.filter(({ status }) => status !== (system.acceptsWithoutDatabase ? 202 : 503))).toEqual([]);
      // An append in flight at the crash has an unknown outcome: 504.
      const refused = load.sent.filter(({ status }) => status !== 202);
      expect(refused.filter(({ status }) => status !== 503 && status !== 504)).toEqual([]);
      for (const { error, status, retryAfter } of refused) {
        expect(error).toEqual({ message: expect.stringMatching(/\w/) as string, type: 'internal_error' });
        if (status === 503) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      }
      for (const { status, body, retryAfter } of reads) {
        expect({ status, type: body.type }).toEqual({ status: 503, type: 'internal_error' });
        expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      }

      await untilAllDelivered(
        system.client,
        accepted.map(({ id }) => id),
        DELIVERY_TIMEOUT_MS,
      );
      expect(await system.client.get('/profiles/ada')).toMatchObject({ status: 200, body: { profile: { email: 'ada@example.com' } } });
      expect((await stranger.get('/profiles/ada')).status).toBe(401);
      expect({ isRunning: system.isRunning, incarnation: system.incarnation }).toEqual({ isRunning: true, incarnation });
    }));
});

describe('the embedded PostgreSQL', () => {
  it('is restarted on the same port after a kill, and no accepted message is lost', () =>
    withTeardown(async (teardown) => {
      const smtp = await CapturingSmtp.start({ withoutContent: true });
      teardown.add('the mail server', () => smtp.close());
      const system = await System.start({ smtpUrl: smtp.url });
      teardown.add('the product', () => system.stop());
      const stop = new AbortController();
      teardown.add('the load', () => stop.abort());
      const { incarnation } = system;
      const before = system.database!;
      const load = new SendLoad(system.client, 'embedded');
      const loaded = load.trickle(SEND_EVERY_MS, stop.signal);
      await waitUntil(() => load.accepted.length >= ACCEPTED_BEFORE, { what: 'sends before the kill' });

      const killedAt = performance.now();
      process.kill(before.pid, 'SIGKILL');

      const after = await waitUntil(() => (system.database?.pid === before.pid ? undefined : system.database), {
        what: 'another PostgreSQL',
        timeoutMs: BACK_TIMEOUT_MS,
      });
      const backAt = performance.now();
      await waitUntil(() => load.accepted.filter(({ startedAt }) => startedAt > backAt).length >= ACCEPTED_AFTER, {
        what: 'sends after the kill',
        timeoutMs: BACK_TIMEOUT_MS,
      });
      stop.abort();
      await loaded;
      report(`Embedded PostgreSQL killed, back after ${Math.round(backAt - killedAt)} ms: ${JSON.stringify(load.tally)}`);

      expect(after.port).toBe(before.port);
      expect(system.incarnation).toBe(incarnation);
      expect(Object.keys(load.tally).filter((status) => !['202', '503', '504'].includes(status))).toEqual([]);
      await untilAllDelivered(
        system.client,
        load.accepted.map(({ id }) => id),
        DELIVERY_TIMEOUT_MS,
      );
    }));
});
