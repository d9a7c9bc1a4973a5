import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { ApiClient, type ErrorBody } from './testing/api-client';
import { allDelivered } from './testing/delivered';
import { report } from './testing/report';
import { SendLoad } from './testing/send-load';
import { System } from './testing/system';
import { tornDown } from './testing/tear-down';
const OUTAGE_MS = 10_000;
const SEND_EVERY_MS = 20;
/** Answered before the database ends and after it is back. */
const ACCEPTED_BEFORE = 100;
const ACCEPTED_AFTER = 100;
/** Guards against hanging. */
const BACK_TIMEOUT_MS = 120_000;
const DELIVERY_TIMEOUT_MS = 180_000;

/** A PostgreSQL of the test's own, which it may take away. */
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

  /** Ends without a word to its clients; resolves when it is gone. */
  async crash(): Promise<void> {
    const gone = new Promise<void>((resolve) => (this.onExit = resolve));
    process.kill(this.server.pid, 'SIGQUIT');
    await gone;
  }

  /** On the same address. */
  async restart(): Promise<void> {
    const { port } = this.server;
    await this.run(port);
    if (this.server.port !== port) throw new Error(`Port ${port} was taken meanwhile`);
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

describe('PostgreSQL away for 10 s under load', () => {
  it('is said with 503 to whoever asks meanwhile, loses nothing that got a 202, and needs nobody to recover', () =>
    tornDown(async (teardown) => {
      const postgres = await OwnPostgres.start();
      teardown.add('the database', () => postgres.remove());
      const smtp = await CapturingSmtp.start({ withoutContent: true });
      teardown.add('the mail server', () => smtp.close());
      const system = await System.start({ smtpUrl: smtp.url, databaseUrl: postgres.url });
      teardown.add('the product', () => system.stop());
      const end = new AbortController();
      teardown.add('the load', () => end.abort());
      const { incarnation } = system;
      await system.client.request('PUT', '/profiles/ada', { body: { profile: { email: 'ada@example.com' } } });
      const load = new SendLoad(system.client, 'outage');
      const loaded = load.trickle(SEND_EVERY_MS, end.signal);
      await waitUntil(() => load.accepted.length >= ACCEPTED_BEFORE, { what: 'sends before the outage' });

      await postgres.crash();
      const awayAt = performance.now();
      const reads: { status: number; body: ErrorBody; retryAfter: string | null }[] = [];
      const stranger = new ApiClient(system.url, 'pk_prod_a_key_that_nobody_made');
      while (performance.now() - awayAt < OUTAGE_MS) {
        for (const client of [system.client, stranger]) {
          const { status, body, headers } = await client.get<ErrorBody>('/profiles/ada');
          reads.push({ status, body, retryAfter: headers.get('retry-after') });
        }
        expect((await system.client.get('/health/live')).status).toBe(200);
        await delay(100); // a reader that asks ten times a second
      }
      expect((await system.client.get('/health/ready')).status).toBe(system.acceptsWithoutDatabase ? 200 : 503);
      const stillAwayAt = performance.now();
      await postgres.restart();
      const backAt = performance.now();
      const firstAfter = await waitUntil(() => load.accepted.find(({ begunAt }) => begunAt > backAt), {
        what: 'a 202 after the outage',
        timeoutMs: BACK_TIMEOUT_MS,
      });
      await waitUntil(() => load.accepted.filter(({ begunAt }) => begunAt > backAt).length >= ACCEPTED_AFTER, {
        what: 'sends after the outage',
        timeoutMs: BACK_TIMEOUT_MS,
      });
      end.abort();
      await loaded;

      const promised = load.accepted;
      const meanwhile = load.sent.filter(({ begunAt, endedAt }) => begunAt > awayAt && endedAt < stillAwayAt);
      report(
        `PostgreSQL away for ${Math.round(stillAwayAt - awayAt)} ms: ${JSON.stringify(load.tally)}, of these ${meanwhile.length} begun and answered ` +
          `while it was away; the first 202 ${Math.round(firstAfter.endedAt - backAt)} ms after it took connections again`,
      );
      expect(meanwhile.length).toBeGreaterThan(0);
      expect(meanwhile.filter(({ status }) => status !== (system.acceptsWithoutDatabase ? 202 : 503))).toEqual([]);
      // An append that was under way when the database ended may have an unknown outcome: that is a 504.
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

      await allDelivered(
        system.client,
        promised.map(({ id }) => id),
        DELIVERY_TIMEOUT_MS,
      );
      expect(await system.client.get('/profiles/ada')).toMatchObject({ status: 200, body: { profile: { email: 'ada@example.com' } } });
      expect((await stranger.get('/profiles/ada')).status).toBe(401);
      expect({ isRunning: system.isRunning, incarnation: system.incarnation }).toEqual({ isRunning: true, incarnation });
    }));
});

describe('the embedded PostgreSQL', () => {
  it('comes back by itself on the same port when it was killed, and nothing that got a 202 is lost', () =>
    tornDown(async (teardown) => {
      const smtp = await CapturingSmtp.start({ withoutContent: true });
      teardown.add('the mail server', () => smtp.close());
      const system = await System.start({ smtpUrl: smtp.url });
      teardown.add('the product', () => system.stop());
      const end = new AbortController();
      teardown.add('the load', () => end.abort());
      const { incarnation } = system;
      const before = system.database!;
      const load = new SendLoad(system.client, 'embedded');
      const loaded = load.trickle(SEND_EVERY_MS, end.signal);
      await waitUntil(() => load.accepted.length >= ACCEPTED_BEFORE, { what: 'sends before the kill' });

      const killedAt = performance.now();
      process.kill(before.pid, 'SIGKILL');

      const after = await waitUntil(() => (system.database?.pid === before.pid ? undefined : system.database), {
        what: 'another PostgreSQL',
        timeoutMs: BACK_TIMEOUT_MS,
      });
      const backAt = performance.now();
      await waitUntil(() => load.accepted.filter(({ begunAt }) => begunAt > backAt).length >= ACCEPTED_AFTER, {
        what: 'sends after the kill',
        timeoutMs: BACK_TIMEOUT_MS,
      });
      end.abort();
      await loaded;
      report(`Embedded PostgreSQL killed, back after ${Math.round(backAt - killedAt)} ms: ${JSON.stringify(load.tally)}`);

      expect(after.port).toBe(before.port);
      expect(system.incarnation).toBe(incarnation);
      expect(Object.keys(load.tally).filter((status) => !['202', '503', '504'].includes(status))).toEqual([]);
      await allDelivered(
        system.client,
        load.accepted.map(({ id }) => id),
        DELIVERY_TIMEOUT_MS,
      );
    }));
});
