import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { acceptBulkMessage } from '@tidings/contracts/messaging/accept-bulk';
import { bulk } from '@tidings/contracts/messaging/bulk';
import { bulkJobs } from '@tidings/contracts/messaging/bulk-jobs';
import { Database } from '@tidings/persistence/database';
import { contextOf } from '@tidings/testing/context-of';
import { expectIndexed } from '@tidings/testing/explain';
import { runsOf } from '@tidings/testing/runs-of';
import type { TestService } from '@tidings/testing/service';
import { eraseFromBulkJobs } from '../../erasure/erasure.handlers';
import { ProvidersUnderTest } from '../../testing/start-providers';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { jobPage } from '../target-pages';

import '@tidings/testing/quiet';

const JOBS = 20_000;
const USERS = 50_000;
const MESSAGE = { event: 'welcome' };

describe('with many jobs and users tables are read by index when', () => {
  const context: CallContext = contextOf(randomUUID());
  let service: TestService;
  let job_id: string;

  beforeAll(async () => {
    ({ service } = await ProvidersUnderTest.start());
    ({ jobId: job_id } = await service.call(bulk.create, context, { message: MESSAGE }));
    await service.sql(
      `insert into bulk_jobs (workspace_id, job_id, message) select $1, gen_random_uuid(), '{}' from generate_series(1, ${JOBS})`,
      [context.workspaceId],
    );
    await service.sql(
      `insert into bulk_users (workspace_id, job_id, ordinal, recipient, status, entry, bytes)
       select workspace_id, job_id, nextval('bulk_users_ordinal'), 'user-' || n, 'PENDING', json_build_object('recipient', 'user-' || n), 25
       from bulk_jobs, generate_series(1, ${USERS}) n where message::text <> '{}'`,
      [],
    );
    await service.sql('analyze', []);
  });

  afterAll(() => service.stop());

  const settlePage = async (): Promise<void> => {
    const database = service.get(Database);
    const request = acceptBulkMessage(MESSAGE, { workspaceId: context.workspaceId, mode: 'test', id: job_id, requestedAt: 0 });
    const { recipients, settle } = await jobPage(database, new ProfileSecrets(), request, job_id, '20000');
    const ends = recipients.map(() => ({ messageId: job_id }));
    expect(ends).toHaveLength(200);
    await database.transaction((tx) => settle!(tx, ends, false));
  };

  it.each<[string, () => Promise<unknown>]>([
    ['adding users', () => service.call(bulk.add, context, { job_id, users: [{ recipient: 'user-1' }, { recipient: 'new' }] })],
    ['reading a job', () => service.call(bulk.retrieve, context, { job_id })],
    ['listing users', () => service.call(bulk.users, context, { job_id })],
    ['listing jobs', () => service.call(bulkJobs.list, context, {})],
    ['reading the progress and the reasons of failures', () => service.call(bulkJobs.progress, context, { job_id })],
    ['erasing a user of them', () => eraseFromBulkJobs(service.get(Database), context.workspaceId, 'user-7')],
    ['reading a page of the run and settling its users', settlePage],
  ])('%s', async (_case, work) => {
    const runs = await runsOf(work);

    expect(runs.length).toBeGreaterThan(0);
    for (const [statement, values] of runs) await expectIndexed(service.sql, statement, values);
  });
});
