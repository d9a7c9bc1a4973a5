import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceProcess } from '@tidings/testing/source-process';
import { waitUntil } from '@tidings/testing/wait-until';
import { lockDataDirectory } from './data-directory';

/** Short, because these tests wait for the whole time. */
const TIMES = { localWaitMs: 200, remoteWaitMs: 300 };
const HOLDER = join(__dirname, 'data-directory.fixture.ts');

describe('the data directory', () => {
  let parent: string;
  let directory: string;
  const processes: SourceProcess[] = [];

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'tidings-data-directory-'));
    directory = join(parent, 'deep', 'down');
  });

  afterEach(async () => {
    await Promise.all(processes.splice(0).map((holder) => holder.kill()));
    rmSync(parent, { recursive: true });
  });

  function start(path: string): SourceProcess {
    const started = SourceProcess.start(HOLDER, { parameters: [path] });
    processes.push(started);
    return started;
  }

  async function startHolder(): Promise<SourceProcess> {
    const holder = start(directory);
    await holder.untilOutput(/locked/);
    return holder;
  }

  /** A lock as another process would have written it. */
  async function writeLock(change: object): Promise<void> {
    const lock = await lockDataDirectory(directory);
    const text = readFileSync(join(directory, 'lock'), 'utf8');
    lock.release();
    writeFileSync(join(directory, 'lock'), JSON.stringify({ ...(JSON.parse(text) as object), ...change }));
  }

  it('is created private, and free again after its release', async () => {
    const first = await lockDataDirectory(directory);
    expect(statSync(directory).mode & 0o066).toBe(0);
    first.release();

    const second = await lockDataDirectory(directory);

    expect(second.path).toBe(directory);
    second.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('refuses a second process and names the first', async () => {
    const holder = await startHolder();

    await expect(lockDataDirectory(directory, TIMES)).rejects.toThrow(`in use by process ${holder.pid}`);
  });

  it('refuses a second lock in the same process', async () => {
    const first = await lockDataDirectory(directory);

    await expect(lockDataDirectory(directory, TIMES)).rejects.toThrow(`in use by process ${process.pid}`);
    first.release();
  });

  it('is free at once after its holder was killed', async () => {
    const holder = await startHolder();
    await holder.kill('SIGKILL');
    expect(existsSync(join(directory, 'lock'))).toBe(true);

    (await lockDataDirectory(directory)).release();
  });

  it('becomes free although its holder, just killed, may still be visible', async () => {
    const holder = await startHolder();

    const killed = holder.kill('SIGKILL');
    const again = await lockDataDirectory(directory);

    again.release();
    await killed;
  });

  it('goes to one of many concurrent starts that find the lock of a dead process', async () => {
    await writeLock({ pid: 2 ** 22 + 1 });

    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataDirectory(directory)));

    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    winners[0]!.value.release();
  });

  it('is not locked by another process with the pid of the holder', async () => {
    await writeLock({ start: 'another boot:1' });

    (await lockDataDirectory(directory)).release();
  });

  it('is not locked by an incomplete lock file', async () => {
    (await lockDataDirectory(directory)).release();
    writeFileSync(join(directory, 'lock'), '{"tok');

    (await lockDataDirectory(directory, TIMES)).release();
  });

  it('is not locked by a holder on another machine without a heartbeat', async () => {
    await writeLock({ machine: 'another container', pid: process.pid });

    (await lockDataDirectory(directory, TIMES)).release();
  });

  it('stays locked by a holder on another machine with a heartbeat', async () => {
    const holder = await startHolder();
    const file = join(directory, 'lock');
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), machine: 'another container', pid: 1 }));

    const touchedAt = (): number => statSync(file).mtimeMs;
    const before = touchedAt();
    await waitUntil(() => touchedAt() > before, { what: 'a heartbeat of the holder' });

    // The test adds heartbeats of its own: on a stalled machine the holder could miss the time in which one is expected.
    const heartbeat = setInterval(() => utimesSync(file, new Date(), new Date()), 5);
    try {
      await expect(lockDataDirectory(directory)).rejects.toThrow('in use by process 1 on another container');
    } finally {
      clearInterval(heartbeat);
    }
    expect(holder.output).toContain('locked');
  });

  it('reports that it cannot be created', async () => {
    writeFileSync(join(parent, 'file'), '');

    await expect(lockDataDirectory(join(parent, 'file', 'below'))).rejects.toThrow(/data directory cannot be used .*TIDINGS_DATA_DIR/);
    await expect(lockDataDirectory(join(parent, 'file'))).rejects.toThrow(/data directory cannot be used .*TIDINGS_DATA_DIR/);
  });

  // In a process of its own: a call that never returns would stop this one.
  it.each(['/proc/tidings', '/proc/tidings/data'])('reports that it cannot be created in %s', async (path) => {
    await start(path).untilOutput(/refused: The data directory cannot be used \(\/proc\/tidings.*TIDINGS_DATA_DIR/);
  });
});
