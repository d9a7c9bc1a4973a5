import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tidings/testing/free-port';
import { SourceProcess } from '@tidings/testing/source-process';
import { waitUntil } from '@tidings/testing/wait-until';
import { isRunning } from './process-table';

const FIXTURE = join(__dirname, 'run-process.fixture.ts');
const PARENT = join(__dirname, 'run-process.parent.fixture.ts');

describe('a process', () => {
  const processes: SourceProcess[] = [];
  let directory: string;
  let file: string;
  let port: number;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'tidings-run-'));
    file = join(directory, 'file');
    port = await freePort();
  });

  afterEach(async () => {
    await Promise.all(processes.splice(0).map((child) => child.kill()));
    rmSync(directory, { recursive: true, force: true });
  });

  function start(environment: NodeJS.ProcessEnv = {}, parameters: string[] = [], program = FIXTURE): SourceProcess {
    const child = SourceProcess.start(program, {
      parameters,
      environment: { PORT: String(port), MANAGEMENT_PORT: '', LOG_LEVEL: '', FIXTURE_FILE: file, ...environment },
    });
    processes.push(child);
    return child;
  }

  const get = (path: string, at = port): Promise<Response> => fetch(`http://127.0.0.1:${at}${path}`);

  it('is live while it waits, reports the reason as not ready, answers 503 on its port, then serves requests', async () => {
    const child = start();
    await child.says(/Waiting for the file: it does not exist/);

    expect((await get('/health/live')).status).toBe(200);
    const ready = await get('/health/ready');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ status: 'unavailable', checks: { start: 'waiting for the file: it does not exist' } });
    const early = await get('/send');
    expect(early.status).toBe(503);
    expect(early.headers.get('retry-after')).toBe('1');
    expect(await early.json()).toEqual({ message: 'Tidings is starting', type: 'internal_error' });

    writeFileSync(file, '');
    await child.says(/open/);
    await waitUntil(async () => (await get('/health/ready')).status === 200, { what: 'readiness' });
    expect(child.output).toContain('the file is available');
  });

  it('ends at once with exit code 0 on SIGTERM while it waits', async () => {
    const child = start();
    await child.says(/Waiting for the file/);

    expect(await child.kill('SIGTERM')).toBe(0);
    expect(child.output).toContain('first part stopped');
    expect(child.output).not.toMatch(/cannot start|^\s+at /m);
  });

  it('answers probes on a separate management port from the beginning', async () => {
    const managementPort = await freePort();
    const child = start({ MANAGEMENT_PORT: String(managementPort) });
    await child.says(/Waiting for the file/);

    expect((await get('/health/live', managementPort)).status).toBe(200);
    expect((await get('/health/ready', managementPort)).status).toBe(503);
    expect((await get('/send', managementPort)).status).toBe(404);
  });

  it('shows metrics on its HTTP port, or only on the management port when there is one, before and after it opens', async () => {
    const single = start();
    await single.says(/Waiting for the file/);
    expect((await get('/metrics')).status).toBe(200);
    await single.kill();

    const managementPort = await freePort();
    const child = start({ MANAGEMENT_PORT: String(managementPort) });
    await child.says(/Waiting for the file/);
    expect((await get('/metrics')).status).toBe(503); // like every other path of the placeholder
    writeFileSync(file, '');
    await child.says(/open/);

    expect((await get('/metrics')).status).toBe(404);
    expect((await get('/metrics', managementPort)).status).toBe(200);
    expect((await get('/health/ready')).status).toBe(200);
  });

  it('reports a failed start without a stack, stops the started parts, and exits with 1', async () => {
    const child = start({ FIXTURE_FAULT: 'The cellar is flooded: pump it out' });

    expect(await child.ended).toBe(1);
    expect(child.output).toContain('Tidings cannot start: The cellar is flooded: pump it out\n');
    expect(child.output).toContain('first part stopped');
    expect(child.output).not.toMatch(/^\s+at /m);
  });

  it.each([
    [{ PORT: 'eighty' }, [], /PORT="eighty" is not a port/],
    [{}, ['--sed'], /--sed is not known; known: --seed \(two workspaces\)/],
  ])('refuses an invalid environment or invalid arguments: %p %p', async (environment, parameters, words) => {
    const child = start(environment, parameters);

    expect(await child.ended).toBe(1);
    expect(child.output).toMatch(words);
    expect(child.output).not.toMatch(/^\s+at /m);
  });

  it('reports a port in use by another process before any part starts', async () => {
    const occupant = createServer();
    await new Promise<void>((listening) => occupant.listen(port, listening));
    try {
      const child = start();

      expect(await child.ended).toBe(1);
      expect(child.output).toContain(`Port ${port} is in use by another process: stop it, or set PORT to another one`);
      expect(child.output).not.toContain('first part');
    } finally {
      occupant.close();
    }
  });

  it('ends with the process that started it with a channel, even when that parent is killed', async () => {
    const parent = start({}, [], PARENT);
    const [, pid] = await parent.says(/child (\d+) waits/);
    expect(isRunning(Number(pid))).toBe(true);

    await parent.kill('SIGKILL');

    await waitUntil(() => !isRunning(Number(pid)), { what: 'the end of the child' });
  });
});
