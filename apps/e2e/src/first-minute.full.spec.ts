import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { isRunning } from '@tidings/runtime/process-table';
import { freePort } from '@tidings/testing/free-port';
import { waitUntil } from '@tidings/testing/wait-until';
import { ApiClient } from './testing/api-client';
import { showOutputOnFailure } from './testing/failure-output';
import { Installation } from './testing/installation';
import type { Program } from './testing/program';
import { report } from './testing/report';
import { mailsIn, type Welcome, welcomeOf } from './testing/welcome';

/** Upper bound for the mail; the measured time is printed. */
const MAIL_TIMEOUT_MS = 10_000;
/** npm forwards Ctrl-C to a process that has already received it from the terminal. */
const NPM_ECHO_MS = 30;

/** Upper bound for compiling changes and starting. */
const BUILD_TIMEOUT_MS = 240_000;
/** Attempts to interrupt a start before it is complete. */
const INTERRUPT_ATTEMPTS_MAX = 5;

describe('the first minute', () => {
  const installation = new Installation();
  let program: Program;
  let welcome: Welcome;

  const start = async (): Promise<void> => {
    program = installation.startProgram({ PORT: String(await freePort()) });
    showOutputOnFailure(program);
    welcome = await welcomeOf(program);
  };

  beforeAll(start);

  afterAll(async () => {
    if (program?.isRunning) await program.end('SIGINT');
    await installation.remove();
  });

  it('the pasted curl line puts a mail into the mailbox, and its history is complete and in order', async () => {
    const startedAt = performance.now();
    const answer = execFileSync('/bin/sh', ['-c', welcome.curl], { encoding: 'utf8' });
    const mail = await waitUntil(async () => (await mailsIn(welcome.mailbox)).find(({ to }) => to.includes('ada@example.com')), {
      what: 'the mail',
      timeoutMs: MAIL_TIMEOUT_MS,
    });
    report(`From the pasted curl line to the mail in the mailbox: ${Math.round(performance.now() - startedAt)} ms`);

    expect(mail).toMatchObject({ subject: 'Hello Ada', text: expect.stringMatching(/A-17.*has shipped/) as string });
    const { requestId } = JSON.parse(answer) as { requestId: string };
    const client = new ApiClient(welcome.url, welcome.key);
    const record = await client.messageOnce('DELIVERED', requestId);
    const history = await client.history(requestId);
    expect(history.map(({ type }) => type)).toEqual([
      'ENQUEUED',
      'PROFILE_LOADED',
      'ROUTED',
      'RENDERED',
      'DELIVERING',
      'SENT',
      'DELIVERED',
    ]);
    const times = history.map(({ ts }) => ts);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(record).toMatchObject({ recipient: 'ada@example.com', enqueued: times[0], sent: times[5], delivered: times[6] });
  });

  it('serves the mailbox as an HTML page', async () => {
    const page = await fetch(welcome.mailbox, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });

    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toMatch(/^<!doctype html>/i);
  });

  it('refuses a second start on the same data with a message, and the first keeps running', async () => {
    const second = installation.startProgram({ PORT: String(await freePort()) });

    expect(await second.ended).toBe(1);
    expect(second.output).toMatch(/data directory .* is in use by process \d+/);
    expect(second.output).not.toMatch(/^\s+at /m);
    expect(await new ApiClient(welcome.url, welcome.key).get('/messages')).toMatchObject({ status: 200 });
  });

  it('ends in order on Ctrl-C, sent twice as npm does; the next start has the same key, data and mails', async () => {
    const { key } = welcome;
    await new ApiClient(welcome.url, key).request('PUT', '/profiles/ada', { body: { profile: { name: 'Ada' } } });
    const postgres = installation.postgres!.pid;
    const mails = await mailsIn(welcome.mailbox);
    expect(mails).not.toEqual([]);

    const interrupted = program; // the variable is reassigned by the next start
    interrupted.signal('SIGINT');
    setTimeout(() => interrupted.signal('SIGINT'), NPM_ECHO_MS);
    expect(await interrupted.ended).toBe(0);
    expect(isRunning(postgres)).toBe(false);

    await start();
    expect(welcome.key).toBe(key);
    expect(await mailsIn(welcome.mailbox)).toEqual(mails);
    expect(await new ApiClient(welcome.url, key).get('/profiles/ada')).toMatchObject({ status: 200, body: { profile: { name: 'Ada' } } });
  });

  it('starts again on the same data after kill -9', async () => {
    const { key } = welcome;
    await program.end('SIGKILL');
    expect(installation.hasRunningPostgres).toBe(true);

    await start();

    expect(await new ApiClient(welcome.url, key).get('/profiles/ada')).toMatchObject({ status: 200, body: { profile: { name: 'Ada' } } });
  });

  it('continues and ends in order when its output is closed (npm start | head)', async () => {
    const postgres = installation.postgres!.pid;
    program.stopListening();

    // The end is logged to the closed output as well.
    expect(await program.end('SIGINT')).toBe(0);
    expect(isRunning(postgres)).toBe(false);
  });
});

describe('npm start', () => {
  const installation = new Installation();
  let program: Program;

  afterAll(async () => {
    if (program?.isRunning) await program.end('SIGTERM');
    await installation.remove();
  });

  it('ends server and database when only npm gets the signal', async () => {
    program = installation.startByNpm({ PORT: String(await freePort()) });
    showOutputOnFailure(program);
    await program.prints(/curl [\s\S]*\}'\n/, { timeoutMs: BUILD_TIMEOUT_MS });
    const postgres = installation.postgres!.pid;

    await program.end('SIGTERM');

    expect(program.output).toContain('Stopping: SIGTERM');
    expect(isRunning(postgres)).toBe(false);
  });
});

describe('an impossible start', () => {
  const installations: Installation[] = [];
  const programs: Program[] = [];

  const startAnew = (environment: NodeJS.ProcessEnv): [Program, Installation] => {
    const installation = new Installation();
    const program = installation.startProgram(environment);
    showOutputOnFailure(program);
    installations.push(installation);
    programs.push(program);
    return [program, installation];
  };

  afterAll(async () => {
    await Promise.all(programs.filter(({ isRunning }) => isRunning).map((program) => program.end('SIGKILL')));
    await Promise.all(installations.map((installation) => installation.remove()));
  });

  it('reports a port in use and leaves no database running', async () => {
    const occupant = createServer();
    await new Promise<void>((listening) => occupant.listen(0, '0.0.0.0', listening));
    const { port } = occupant.address() as { port: number };
    try {
      const [program, installation] = startAnew({ PORT: String(port) });

      expect(await program.ended).toBe(1);
      expect(program.output).toContain(String(port));
      expect(installation.hasRunningPostgres).toBe(false);
    } finally {
      occupant.close();
    }
  });

  it('reports all invalid environment variables before it creates data', async () => {
    const [program, installation] = startAnew({ PORT: 'eighty', TIDINGS_SMTP_ULR: 'smtp://mail.example.com' });

    expect(await program.ended).toBe(1);
    expect(program.output).toMatch(/PORT="eighty"/);
    expect(program.output).toContain('TIDINGS_SMTP_ULR is not known; the nearest name is TIDINGS_SMTP_URL');
    expect(installation.postgres).toBeUndefined();
  });

  it('ends in order when it is interrupted during the start', async () => {
    // A start may complete before the test notices its beginning; such a run proves nothing and is repeated.
    let wasInterrupted = false;
    for (let attempts = 0; attempts < INTERRUPT_ATTEMPTS_MAX && !wasInterrupted; attempts += 1) {
      const [program, installation] = startAnew({ PORT: String(await freePort()) });
      const { pid } = await program.until(() => installation.postgres, { what: 'the start of PostgreSQL', timeoutMs: 60_000 });

      await program.end('SIGINT');

      wasInterrupted = !program.stdout.includes('curl');
      expect(isRunning(pid)).toBe(false);
    }
    expect(wasInterrupted).toBe(true);
  });
});
