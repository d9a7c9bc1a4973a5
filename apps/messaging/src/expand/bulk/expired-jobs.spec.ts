import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import { bulk } from '@tidings/contracts/messaging/bulk';
import { Database } from '@tidings/persistence/database';
import { systemClock } from '@tidings/runtime/clock';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { Retention } from '../../retention/retention';
import { ProvidersUnderTest } from '../../testing/start-providers';

const YEAR_MS = 365 * 86_400_000;

describe('bulk jobs that are too old', () => {
  let service: TestService;

  beforeAll(async () => {
    ({ service } = await ProvidersUnderTest.start());
  });

  afterAll(() => service.stop());

  it('are removed with their users, a year after their run', async () => {
    const context = contextOf(randomUUID());
    const make = async (runYearsAgo: number | undefined, status: string, users: number): Promise<string> => {
      const { jobId } = await service.call(bulk.create, context, { message: { event: 'welcome' } });
      await service.call(bulk.add, context, {
        job_id: jobId,
        users: Array.from({ length: users }, (_, n) => ({ recipient: `user-${n}` })),
      });
      await service.sql(
        `update bulk_jobs set status = $1, run_at = now() - $2 * interval '1 year', created_at = now() - interval '9 years'
        where job_id = (select job_id from bulk_users order by ordinal desc limit 1)`,
        [status, runYearsAgo ?? null],
      );
      return jobId;
    };
    const retained = [await make(undefined, 'CREATED', 3), await make(0, 'COMPLETED', 3), await make(2, 'PROCESSING', 3)];
    const removed = [await make(2, 'COMPLETED', 2_500), await make(2, 'ERROR', 1)];

    await new Retention(service.get(Database), systemClock, { messagesMs: YEAR_MS, historyMs: YEAR_MS }).enforce();

    for (const job_id of retained) expect((await service.call(bulk.users, context, { job_id })).items).toHaveLength(3);
    for (const job_id of removed)
      await expect(service.call(bulk.retrieve, context, { job_id })).rejects.toMatchObject({ code: 'not_found' });
    expect(await service.sql('select from bulk_users', [])).toHaveLength(9);
  });
});
