import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import { freeze } from '@tidings/runtime/process-table';
import type { Teardown } from '@tidings/runtime/teardown';
import { ANY_RECIPIENT, CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { freePort } from '@tidings/testing/free-port';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { ApiClient } from '../api-client';
import { mapConcurrently } from '../map-concurrently';
import { Program } from '../program';
import { report } from '../report';
import { SendLoad } from '../send-load';
import { withTeardown } from '../tear-down';
import { type AcceptedSend, EARLIER_COMMIT, type EarlierData, type EarlierMail, numbered, writeEarlierData } from './earlier-data';

/**
 * Writes the fixture of `upgrade.full.spec.ts`. Run once, by hand, with a built clone of `EARLIER_COMMIT` (its own `npm ci` and
 * `npm run build`) and a `pg_dump` of version 15 or later on the PATH:
 *
 *   node -r ./libs/testing/typescript-hook.cjs apps/e2e/src/testing/upgrade/write-fixture.ts <folder of the clone>
 *
 * The clone's standalone runs on a PostgreSQL 15, so that this `pg_dump` reads it. Both are killed in the middle of the work, and
 * PostgreSQL recovers before the dump.
 */
const SENDS = 1_000;
const UNANSWERED = 20;
const MEMBERS = 1_500;
const JOB_USERS = 800;
/** Members and users with a message, and accepted mails, at the least, before the kill. */
const EXPANDED_BEFORE = 400;
const MAILS_BEFORE = 100;
const CONNECTIONS = 16;
/** Items per request while the work is prepared. */
const CHUNK = 500;
const RECENT_EVERY_MS = 40;
const MAIL_MS = 5;
/** Longer than the whole run. */
const DELAY_MS = 900_000;
const MAIL_TIMEOUT_MS = 600_000;
const STEP_MS_MAX = 120_000;
const CONTENT = { title: 'Order shipped', body: 'Your order has shipped.' };
const LIST = 'everybody';

const HALFWAY = `
  select (select (progress ->> 'found')::integer from messaging.expansions where request::text like '%"kind":"list"%') as expanded,
         (select enqueued from messaging.bulk_jobs where status = 'PROCESSING') as enqueued`;
const RETRIED = `select count(*)::integer as count from messaging.deliveries where attempt > 1 or not attempt_open`;
const OPEN_ATTEMPTS = `select count(*)::integer as count from messaging.deliveries where attempt_open`;
const ROLES = `select rolname as role from pg_roles where rolname like 'tidings\\_%' order by rolname`;

interface Halfway {
  expanded: number | null;
  enqueued: number | null;
}

void withTeardown(async (teardown) => {
  const clone = process.argv[2];
  if (!clone) throw new Error('Name the folder of a built clone of the earlier commit');
  const folder = mkdtempSync(path.join(tmpdir(), 'tidings-earlier-'));
  teardown.add('the folder', async () => rmSync(folder, { recursive: true, force: true }));
  const mail = await startMailServer(teardown);
  const postgres = new CrashingPostgres(path.join(folder, 'postgres'));
  teardown.add('PostgreSQL', () => postgres.stop());
  await postgres.start();
  const { program, client } = await startEarlier(clone, path.join(folder, 'data'), postgres.url, mail.url);
  teardown.add('the earlier version', async () => void (await program.end('SIGKILL')));

  const data = await prepare(client, mail, postgres);
  const stop = new AbortController();
  const recent = new SendLoad(client, 'recent', () => ({ content: CONTENT }));
  const trickled = recent.trickle(RECENT_EVERY_MS, stop.signal);
  const [list] = await Promise.all([
    post<{ requestId: string }>(client, '/send', { message: { to: { list_id: LIST }, content: CONTENT } }),
    post(client, `/bulk/${data.job.id}/run`),
  ]);
  const halfway = await killHalfway(program, postgres, mail);
  stop.abort();
  await trickled;

  await postgres.crash();
  await postgres.start();
  const [open] = await postgres.rows<{ count: number }>(OPEN_ATTEMPTS);
  const roles = (await postgres.rows<{ role: string }>(ROLES)).map(({ role }) => `create role ${role} login;`);
  const earlier: EarlierData = {
    commit: EARLIER_COMMIT,
    sends: { ...data.sends, recent: acceptedBy(recent) },
    list: { id: LIST, requestId: list.requestId, members: MEMBERS, expanded: halfway.expanded! },
    job: { ...data.job, enqueued: halfway.enqueued! },
    openAttempts: open!.count,
    mails: mailsOf(mail),
    sql: [...roles, await dump(postgres.url)].join('\n'),
  };
  const bytes = writeEarlierData(earlier);
  const { sends, mails, sql, openAttempts } = earlier;
  report(
    `${bytes} bytes of ${sql.length}: list ${halfway.expanded} of ${MEMBERS}, job ${halfway.enqueued} of ${JOB_USERS}, ` +
      `recent ${sends.recent.length}, open attempts ${openAttempts}, mails ${mails.length}`,
  );
});

/** Defers mails to `waiting-…`, does not answer those to `unanswered-…`, accepts the others. */
async function startMailServer(teardown: Teardown): Promise<CapturingSmtp> {
  const mail = await CapturingSmtp.start({ withoutContent: true });
  teardown.add('the mail server', () => mail.close());
  mail.treat(ANY_RECIPIENT, { slowMs: MAIL_MS });
  for (let n = 1; n <= SENDS; n += 1) mail.treat(`waiting-${n}@example.com`, { deferFirst: Infinity });
  for (let n = 1; n <= UNANSWERED; n += 1) mail.treat(`unanswered-${n}@example.com`, { neverAnswers: true });
  return mail;
}

async function startEarlier(clone: string, dataDirectory: string, databaseUrl: string, smtpUrl: string) {
  const port = await freePort();
  const key = 'pk_prod_of_the_earlier_version';
  const client = new ApiClient(`http://127.0.0.1:${port}`, key);
  const program = Program.start(path.join(clone, 'bin/tidings.mjs'), {
    parameters: ['standalone'],
    environment: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      TIDINGS_DATA_DIR: dataDirectory,
      TIDINGS_API_KEY: key,
      TIDINGS_SMTP_URL: `${smtpUrl}?timeout=${MAIL_TIMEOUT_MS}&connections=${2 * UNANSWERED}&from=shop@example.com`,
    },
  });
  const isReady = async (): Promise<boolean> => (await fetch(`${client.url}/health/ready`)).ok && program.stdout.includes(key);
  await program.until(isReady, { what: 'readiness', timeoutMs: STEP_MS_MAX });
  return { program, client };
}

/** Sends what waits, delayed or for a retry, and prepares the list and the job. */
async function prepare(client: ApiClient, mail: CapturingSmtp, postgres: CrashingPostgres) {
  const until = new Date(Date.now() + DELAY_MS).toISOString();
  const loads = {
    delayed: new SendLoad(client, 'delayed', () => ({ content: CONTENT, delay: { until } })),
    waiting: new SendLoad(client, 'waiting', () => ({ content: CONTENT })),
    unanswered: new SendLoad(client, 'unanswered', () => ({ content: CONTENT })),
  };
  const members = numbered('member', MEMBERS);
  await mapConcurrently(members, (user) => put(client, `/profiles/${user}`, { profile: { email: `${user}@example.com` } }));
  await put(client, `/lists/${LIST}`, { name: 'Everybody' });
  for (const some of chunked(members)) {
    await post(client, `/lists/${LIST}/subscriptions`, { recipients: some.map((recipientId) => ({ recipientId })) });
  }
  const { jobId } = await post<{ jobId: string }>(client, '/bulk', { message: { content: CONTENT } });
  for (const some of chunked(numbered('worker', JOB_USERS))) {
    const users = some.map((recipient) => ({ recipient, profile: { email: `${recipient}@example.com` } }));
    await post(client, `/bulk/${jobId}`, { users });
  }

  const pause = { timeoutMs: STEP_MS_MAX, intervalMs: 100 };
  await loads.delayed.flood(SENDS, CONNECTIONS, () => undefined);
  await loads.waiting.flood(SENDS, CONNECTIONS, () => undefined);
  const areRetried = async (): Promise<boolean> => (await postgres.rows<{ count: number }>(RETRIED))[0]!.count === SENDS;
  await waitUntil(areRetried, { what: 'a retry of each deferred mail', ...pause });
  await loads.unanswered.flood(UNANSWERED, CONNECTIONS, () => undefined);
  const unanswered = (): number => mail.arrivals.filter(({ ending }) => ending === 'hung').length;
  await waitUntil(() => unanswered() === UNANSWERED, { what: 'each mail without an answer', ...pause });
  const sends = {
    delayed: acceptedBy(loads.delayed),
    waiting: acceptedBy(loads.waiting),
    unanswered: acceptedBy(loads.unanswered),
  };
  if (sends.delayed.length + sends.waiting.length < 2 * SENDS) throw new Error('Not every send was accepted');
  return { sends, job: { id: jobId, users: JOB_USERS } };
}

/** Kills the process (SIGKILL) while both the list and the job are half done. It is stopped meanwhile, so that this is its last state. */
function killHalfway(program: Program, postgres: CrashingPostgres, mail: CapturingSmtp): Promise<Halfway> {
  const kill = async (): Promise<Halfway | undefined> => {
    if (mail.mails.length < MAILS_BEFORE || !(await halfway(postgres))) return undefined;
    await freeze(program.pid);
    const state = await halfway(postgres);
    if (state) await program.end('SIGKILL');
    else program.signal('SIGCONT');
    return state;
  };
  return waitUntil(kill, { what: 'the middle of the list and of the job', timeoutMs: STEP_MS_MAX, intervalMs: 5 });
}

async function halfway(postgres: CrashingPostgres): Promise<Halfway | undefined> {
  const [state] = await postgres.rows<Halfway>(HALFWAY);
  const { expanded, enqueued } = state!;
  const isHalf = (count: number | null, all: number): boolean => count !== null && count >= EXPANDED_BEFORE && count < all;
  return isHalf(expanded, MEMBERS) && isHalf(enqueued, JOB_USERS) ? state : undefined;
}

/** Every accepted mail, and one deferred mail of each recipient. */
function mailsOf(mail: CapturingSmtp): EarlierMail[] {
  const deferred = new Map<string, EarlierMail>();
  const mails: EarlierMail[] = [];
  for (const { envelope, messageId, isAccepted } of mail.arrivals) {
    const [to] = envelope.to as [string];
    if (isAccepted) mails.push({ to, messageId, deferred: false });
    else deferred.set(`${to} ${messageId}`, { to, messageId, deferred: true });
  }
  return [...mails, ...deferred.values()];
}

function acceptedBy(load: SendLoad): AcceptedSend[] {
  return load.accepted.map(({ id, email }) => ({ id, email }));
}

/** A PostgreSQL 15 on the same directory through a crash. */
class CrashingPostgres {
  private server: EmbeddedPostgres | undefined;
  private client: Client | undefined;

  constructor(private readonly directory: string) {}

  get url(): string {
    return this.server!.adminUrl;
  }

  async start(): Promise<void> {
    this.server = await EmbeddedPostgres.start({
      directory: this.directory,
      durable: true,
      packageName: 'embedded-postgres-15',
      onUnexpectedExit: () => this.onExit(),
    });
    this.client = new Client({ connectionString: this.url });
    this.client.on('error', () => undefined); // the crash ends it
    await this.client.connect();
  }

  async rows<Row extends object>(text: string): Promise<Row[]> {
    return (await this.client!.query<Row>(text)).rows;
  }

  /** Ends the server without a checkpoint; the next start recovers. */
  async crash(): Promise<void> {
    const exited = new Promise<void>((resolve) => (this.onExit = resolve));
    process.kill(this.server!.pid, 'SIGQUIT');
    await exited;
  }

  async stop(): Promise<void> {
    await this.client?.end();
    await this.server?.stop();
  }

  private onExit: () => void = () => undefined;
}

/** Every schema of the product as SQL without meta-commands of psql. */
async function dump(url: string): Promise<string> {
  const parameters = ['--dbname', url, '--inserts', '--rows-per-insert', '500', '--no-comments'];
  for (const schema of ['identity', 'audience', 'messaging', 'content', 'events']) parameters.push('--schema', schema);
  const environment = { ...process.env, PGTZ: 'UTC' };
  const { stdout } = await promisify(execFile)('pg_dump', parameters, { env: environment, maxBuffer: 1_000_000_000 });
  return stdout.replace(/^(?:\\|--).*\n/gm, '').replace(/\n{2,}/g, '\n');
}

async function post<Body>(client: ApiClient, path: string, body?: object): Promise<Body> {
  return call<Body>(client, 'POST', path, body);
}

async function put(client: ApiClient, path: string, body: object): Promise<void> {
  await call(client, 'PUT', path, body);
}

async function call<Body>(client: ApiClient, method: string, path: string, body?: object): Promise<Body> {
  const answer = await client.request<Body>(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

function chunked<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, n) => items.slice(n * CHUNK, (n + 1) * CHUNK));
}
