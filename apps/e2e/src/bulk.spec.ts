import Courier, { BadRequestError, NotFoundError } from '@trycourier/courier';
import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { SharedSystem } from './testing/shared-system';

const MESSAGE = {
  event: 'invitation',
  content: { title: 'Dear {name}', body: 'Come to {place}.' },
  data: { name: 'friend', place: 'Rome' },
};
const RUN_TIMEOUT_MS = 90_000;

describe('a bulk job through the official Node SDK', () => {
  let smtp: CapturingSmtp;
  let system: SharedSystem;
  let sdk: Courier;

  beforeAll(async () => {
    system = await SharedSystem.join({ mail: true });
    ({ smtp } = system);
    sdk = new Courier({ apiKey: system.key, baseURL: system.url });
  });

  afterAll(() => system?.leave());

  const create = async (): Promise<string> => (await sdk.bulk.createJob({ message: MESSAGE })).jobId;
  const completed = (jobId: string) =>
    waitUntil(
      async () => {
        const { job } = await sdk.bulk.retrieveJob(jobId);
        return job.status === 'CREATED' || job.status === 'PROCESSING' ? undefined : job;
      },
      { what: `job ${jobId} to be done`, timeoutMs: RUN_TIMEOUT_MS, intervalMs: 100 },
    );

  async function usersOf(jobId: string): Promise<Courier.BulkListUsersResponse.Item[]> {
    const all: Courier.BulkListUsersResponse.Item[] = [];
    // The Node SDK 5.7 requests the first page with this cursor.
    for (let cursor: string | null | undefined = 'undefined', more = true; more;) {
      const { items, paging } = await sdk.bulk.listUsers(jobId, { cursor });
      all.push(...items);
      ({ cursor, more } = paging);
    }
    return all;
  }

  it('is created, filled and run, and each user gets their own message', async () => {
    await sdk.profiles.replace('ada', { profile: { email: 'ada@example.com', name: 'Ada' } });
    const jobId = await create();
    await sdk.bulk.addUsers(jobId, { users: [{ recipient: 'ada', data: { name: 'Ada' } }] });
    await sdk.bulk.addUsers(jobId, {
      users: [{ profile: { email: 'bo@example.com' }, data: { place: 'Bonn' } }, { to: { email: 'cy@example.com' } }],
    });
    expect(await sdk.bulk.retrieveJob(jobId)).toEqual({
      job: { definition: MESSAGE, received: 3, enqueued: 0, failures: 0, status: 'CREATED' },
    });

    await sdk.bulk.runJob(jobId);

    expect(await completed(jobId)).toMatchObject({ received: 3, enqueued: 3, failures: 0, status: 'COMPLETED' });
    const mails = await Promise.all(
      ['ada', 'bo', 'cy'].map(async (name) => (await smtp.waitForMailsTo(`${name}@example.com`))[0]!.parse()),
    );
    expect(mails).toMatchObject([
      { subject: 'Dear Ada', text: expect.stringContaining('Rome') as string },
      { subject: 'Dear friend', text: expect.stringContaining('Bonn') as string },
      { subject: 'Dear friend', text: expect.stringContaining('Rome') as string },
    ]);
    const users = await usersOf(jobId);
    expect(users).toMatchObject([
      { recipient: 'ada', data: { name: 'Ada' }, status: 'ENQUEUED' },
      { profile: { email: 'bo@example.com' }, status: 'ENQUEUED' },
      { to: { email: 'cy@example.com' }, status: 'ENQUEUED' },
    ]);
    expect(await sdk.messages.retrieve(users[0]!.messageId!)).toMatchObject({ recipient: 'ada', jobId, event: 'invitation' });
    const listed = await sdk.messages.list({ traceId: jobId });
    expect(listed.results.map(({ id }) => id).sort()).toEqual(users.map(({ messageId }) => messageId).sort());
  });

  it('refuses users and another run after its run, and unknown ids', async () => {
    const jobId = await create();
    await sdk.bulk.runJob(jobId);

    await expect(sdk.bulk.runJob(jobId)).rejects.toBeInstanceOf(BadRequestError);
    await expect(sdk.bulk.addUsers(jobId, { users: [{ recipient: 'ada' }] })).rejects.toThrow(/already run/);
    await expect(sdk.bulk.retrieveJob('1-00000000-000000000000000000000000')).rejects.toBeInstanceOf(NotFoundError);
    await expect(sdk.bulk.createJob({ message: {} as typeof MESSAGE })).rejects.toBeInstanceOf(BadRequestError);
  });

  it('answers each call with the documented status and body', async () => {
    const post = (path: string, body?: object) => system.client.request('POST', path, { body });
    const created = await post('/bulk', { message: { message: { content: MESSAGE.content } } });
    const { jobId } = created.body as { jobId: string };
    const added = await post(`/bulk/${jobId}`, { users: [{ recipient: 'ada' }, { recipient: 'ada' }] });
    const run = await post(`/bulk/${jobId}/run`);

    expect([created.status, added.status, run.status]).toEqual([201, 200, 202]);
    expect(added.body).toEqual({ total: 1, errors: [{ user: { recipient: 'ada' }, error: 'Duplicate user' }] });
    expect(run.body).toEqual({});
  });

  it('applies each call once under an Idempotency-Key', async () => {
    const options = (key: string) => ({ headers: { 'idempotency-key': key } });
    const [one, other] = await Promise.all(
      [0, 1].map(() => sdk.bulk.createJob({ message: MESSAGE }, { ...options('create'), maxRetries: 5 })),
    );
    expect(other).toEqual(one);
    const { jobId } = one!;
    for (let times = 0; times < 2; times += 1) {
      await sdk.bulk.addUsers(jobId, { users: [{ recipient: 'ada' }] }, options('add'));
      expect((await sdk.bulk.retrieveJob(jobId)).job.received).toBe(1);
    }
    for (let times = 0; times < 2; times += 1) await sdk.bulk.runJob(jobId, options('run'));
    expect(await completed(jobId)).toMatchObject({ enqueued: 1 });
  });
});
