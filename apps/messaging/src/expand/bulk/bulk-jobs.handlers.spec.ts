import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { bulk } from '@tidings/contracts/messaging/bulk';
import { bulkJobs } from '@tidings/contracts/messaging/bulk-jobs';
import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { ProvidersUnderTest } from '../../testing/start-providers';

let service: TestService;
let context: CallContext;

beforeAll(async () => {
  ({ service } = await ProvidersUnderTest.start());
});
afterAll(() => service.stop());
beforeEach(() => {
  context = contextOf(randomUUID());
});

const create = async (message: object = { event: 'invitation' }, of = context): Promise<string> =>
  (await service.call(bulk.create, of, { message })).jobId;
const add = (job_id: string, users: object[], of = context) => service.call(bulk.add, of, { job_id, users });
const progress = (job_id: string, of = context) => service.call(bulkJobs.progress, of, { job_id });
const list = (request = {}, of = context) => service.call(bulkJobs.list, of, request);

it('lists the jobs by page, the newest first, with template and counts', async () => {
  const oldest = await create();
  const second = await create({ content: { title: 'Hello', body: 'There' }, data: { text: 'x'.repeat(20_000) } });
  const newest = await create({ message: { template: 'welcome' } });
  await add(newest, [{ recipient: 'ada' }, { recipient: 'bo', data: 7 }]);

  const first = await list({ limit: 2 });
  expect(first.results).toEqual([
    { id: newest, template: 'welcome', status: 'CREATED', received: 2, enqueued: 0, failures: 1, created: expect.any(Number) as number },
    { id: second, status: 'CREATED', received: 0, enqueued: 0, failures: 0, created: expect.any(Number) as number },
  ]);
  const next = await list({ limit: 2, cursor: first.paging.cursor });
  expect(next.results).toMatchObject([{ id: oldest, template: 'invitation' }]);
  expect(next.paging).toEqual({ more: false });
});

it('counts the failures of a job by reason, the most frequent first', async () => {
  const id = await create();
  await add(id, [
    { recipient: 'ada', data: 7 },
    { recipient: 'bo', to: { list_id: 'team' } },
    { recipient: 'cy', data: 7 },
    { recipient: 'di' },
  ]);

  const { reasons, failures, ...rest } = await progress(id);

  expect(reasons.map(({ count }) => count)).toEqual([2, 1]);
  expect(reasons[0]!.error).toContain('data');
  expect(failures).toBe(3);
  expect(rest).not.toHaveProperty('per_minute');
});

it('has the rate of a run, and how long the rest takes, until it ends', async () => {
  const id = await create();
  const uuid = requireMessageUuid(id);
  await service.sql(
    `update bulk_jobs set status = 'PROCESSING', received = 100, enqueued = 20, failures = 5, run_at = now() - interval '1 minute'
      where workspace_id = $1 and job_id = $2`,
    [context.workspaceId, uuid],
  );

  const { per_minute: rate, time_left_ms: left, run } = await progress(id);

  expect(rate).toBeGreaterThan(0);
  expect(rate).toBeLessThanOrEqual(20);
  expect(left).toBeGreaterThanOrEqual((75 / 20) * 60_000);
  expect(run).toBeLessThan(Date.now() - 50_000);
  await service.sql(`update bulk_jobs set status = 'COMPLETED' where job_id = $1`, [uuid]);
  expect(await progress(id)).not.toHaveProperty('time_left_ms');
});

it.each(['1-00000000-000000000000000000000000', 'nothing'])('answers 404 for an unknown id: %j', async (id) => {
  await expect(progress(id)).rejects.toMatchObject({ code: 'not_found' });
});

let ofOwner: string;
describeWorkspaceIsolation('a bulk job', {
  arrange: async (owner) => {
    ofOwner = await create(undefined, owner);
  },
  read: (owner) => list({}, owner),
  attempts: {
    'listing jobs': { attempt: (stranger) => list({}, stranger) },
    'its progress': { attempt: (stranger) => progress(ofOwner, stranger), refusedWith: 'not_found' },
  },
});
