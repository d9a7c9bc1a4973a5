import fs from 'node:fs';
import Piscina from 'piscina';
import { ENDLESS, LONG, startPool } from './start-pool.fixture';

const OVERDUE_MS = 20;
const readFile = fs.readFileSync;

/** Mocks the kernel's figure of a thread's core time, in ns. */
function mockSchedstat(onCore: string): void {
  const read = ((file: fs.PathOrFileDescriptor, options?: BufferEncoding) =>
    String(file).endsWith('/schedstat') ? `${onCore} 0 0` : readFile(file, options)) as typeof fs.readFileSync;
  jest.spyOn(fs, 'readFileSync').mockImplementation(read);
}

afterEach(() => jest.restoreAllMocks());

describe('a job that takes long', () => {
  it('is tried twice when core time is not measured', async () => {
    mockSchedstat('unknown');
    const pool = startPool({ threads: 1, overdueMs: OVERDUE_MS });
    const attempts = jest.spyOn(Piscina.prototype, 'run');
    await expect(pool.run('w', 'render', ENDLESS)).rejects.toMatchObject({
      code: 'invalid_request',
      message: `render_timeout: rendering took longer than ${OVERDUE_MS} ms and was stopped`,
    });
    expect(attempts).toHaveBeenCalledTimes(2);
  });

  it('is not stopped by wall time when its thread had no core', async () => {
    mockSchedstat('1');
    const pool = startPool({ threads: 1, timeLimitMs: 1 });
    await expect(pool.run('w', 'render', LONG)).resolves.toMatchObject({ title: '' });
  });

  it('is unavailable, so retryable, when it is overdue without core time', async () => {
    mockSchedstat('1');
    const pool = startPool({ threads: 1, overdueMs: OVERDUE_MS });
    await expect(pool.run('w', 'render', ENDLESS)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
