import { join } from 'node:path';
import { SourceProcess } from '@tidings/testing/source-process';

const FIXTURE = join(__dirname, 'shutdown.fixture.ts');

/** Signals within this time, by the clock of the process, count as one. */
const SAME_SIGNAL_MS = 700;

describe('Shutdown', () => {
  const processes: SourceProcess[] = [];

  afterEach(async () => {
    await Promise.all(processes.splice(0).map((child) => child.kill()));
  });

  async function start(...parameters: string[]): Promise<SourceProcess> {
    const child = SourceProcess.start(FIXTURE, { parameters });
    processes.push(child);
    await child.says(/ready/);
    return child;
  }

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('stops its parts in reverse order on %s', async (signal) => {
    const child = await start('stops');

    expect(await child.kill(signal)).toBe(0);

    expect(child.output).toMatch(/gateway stopping\n.*gateway stopped\n.*database stopped/s);
  });

  it('counts a Ctrl-C that npm passes on a second time once', async () => {
    const child = await start('twice', String(SAME_SIGNAL_MS - 1));

    process.kill(child.pid, 'SIGINT');
    await child.says(/gateway stopping/);
    expect(await child.kill('SIGINT')).toBe(0);

    expect(child.output).toContain('database stopped');
  });

  it('stops in order after its log output was closed', async () => {
    const child = await start('stops');
    child.closeOutput();
    expect(await child.kill('SIGTERM')).toBe(0);
  });

  it('ends at once on a later second signal', async () => {
    const child = await start('twice', String(SAME_SIGNAL_MS));

    process.kill(child.pid, 'SIGINT');
    await child.says(/gateway stopping/);
    expect(await child.kill('SIGINT')).toBe(130);

    expect(child.output).not.toContain('database stopped');
  });

  it('stops the other parts when one fails, and exits with 1', async () => {
    const child = await start('fails');

    expect(await child.kill('SIGTERM')).toBe(1);

    expect(child.output).toMatch(/database stopped.*gateway did not stop in order.*cannot stop/s);
  });

  it('ends after its timeout and names the part that did not stop', async () => {
    const child = await start('late', '100');

    expect(await child.kill('SIGTERM')).toBe(1);

    expect(child.output).toContain('gateway has not stopped');
  });

  it('stops in order after an uncaught error, and exits with 1', async () => {
    const child = await start('throws');

    expect(await child.ended).toBe(1);

    expect(child.output).toMatch(/not caught.*database stopped/s);
  });
});
