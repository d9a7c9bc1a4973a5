import { ENDLESS, startPool } from './start-pool.fixture';
import { threadCpuNs } from './thread-time';

jest.mock('./thread-time', () => ({ threadCpuNs: jest.fn() }));
const OVERDUE_MS = 20;

describe('a job that takes long', () => {
  it('is tried twice where nobody knows how long its thread had a core', async () => {
    jest.mocked(threadCpuNs).mockReturnValue(undefined);
    const pool = startPool({ threads: 1, overdueMs: OVERDUE_MS });
    const started = performance.now();
    await expect(pool.run('w', 'texts', ENDLESS)).rejects.toMatchObject({
      code: 'invalid_request',
      message: `render_timeout: rendering took longer than ${OVERDUE_MS} ms and was stopped`,
    });
    expect(performance.now() - started).toBeGreaterThan(2 * OVERDUE_MS);
  });

  it('is not to blame where its thread had no core: it can be tried again later', async () => {
    jest.mocked(threadCpuNs).mockReturnValue(1n);
    const pool = startPool({ threads: 1, overdueMs: OVERDUE_MS });
    await expect(pool.run('w', 'texts', ENDLESS)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
