import Courier from '@trycourier/courier';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { System } from './testing/system';
import { withTeardown } from './testing/tear-down';

/** Enough for several pages of a run. */
const MANY = 1_000;
const RUN = { timeoutMs: 90_000, intervalMs: 200 };

it('a bulk job continues after a kill -9 during its run and creates one message per user', () =>
  withTeardown(async (teardown) => {
    const smtp = await CapturingSmtp.start();
    teardown.add('the mail server', () => smtp.close());
    const system = await System.start({ smtpUrl: smtp.url });
    teardown.add('the product', () => system.stop());
    const sdk = new Courier({ apiKey: system.key, baseURL: system.url });
    const message = { event: 'invitation', content: { title: 'Hello', body: 'Come.' } };
    const { jobId } = await sdk.bulk.createJob({ message });
    await sdk.bulk.addUsers(jobId, {
      users: Array.from({ length: MANY }, (_, n) => ({ recipient: `many-${n}`, profile: { email: `many${n}@example.com` } })),
    });
    await sdk.bulk.runJob(jobId);
    await waitUntil(async () => (await sdk.bulk.retrieveJob(jobId)).job.enqueued > 0, { what: 'the first page' });

    await system.kill();
    await system.restart();

    await waitUntil(async () => (await sdk.bulk.retrieveJob(jobId)).job.status === 'COMPLETED', { what: `job ${jobId}`, ...RUN });
    const { job } = await sdk.bulk.retrieveJob(jobId);
    expect(job).toMatchObject({ received: MANY, enqueued: MANY, failures: 0 });
    const users: Courier.BulkListUsersResponse.Item[] = [];
    for (let cursor: string | null | undefined, more = true; more;) {
      const { items, paging } = await sdk.bulk.listUsers(jobId, { cursor });
      users.push(...items);
      ({ cursor, more } = paging);
    }
    expect(new Set(users.map(({ messageId }) => messageId)).size).toBe(MANY);
    expect(users.every(({ status }) => status === 'ENQUEUED')).toBe(true);
    const listed = new Set<string>();
    for (let cursor: string | null | undefined, more = true; more;) {
      const { results, paging } = await sdk.messages.list({ traceId: jobId, cursor });
      for (const { id } of results) listed.add(id);
      ({ cursor, more } = paging);
    }
    expect(listed).toEqual(new Set(users.map(({ messageId }) => messageId)));
    await waitUntil(() => Array.from({ length: MANY }, (_, n) => n).every((n) => smtp.mailsTo(`many${n}@example.com`).length > 0), {
      what: 'a mail for each user',
      ...RUN,
    });
  }));
