import '@tidings/testing/quiet';
import type { CallContext } from '@tidings/contracts/core/context';
import { bulk, type BulkUserStatus, type ListedBulkUser } from '@tidings/contracts/messaging/bulk';
import { messageIdTime, newMessageId, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { messages } from '@tidings/contracts/messaging/messages';
import { Database } from '@tidings/persistence/database';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { jobPage } from '../target-pages';
import { refusing } from '../../testing/refusing';
import { Messaging } from '../../testing/start-messaging';

jest.setTimeout(180_000);

const MESSAGE = { content: { title: 'Hello {name}', body: 'You are in {city}.' }, data: { name: 'you', city: 'Rome' } };

describe('the run of a bulk job', () => {
  let messaging: Messaging;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
  });

  afterAll(() => messaging.end());

  const simulating = (): CallContext => ({ ...messaging.context, mode: 'test' });
  const job = async (job_id: string) => (await messaging.call(bulk.retrieve, { job_id })).job;
  const run = (job_id: string, context = simulating()) => messaging.call(bulk.run, { job_id }, context);
  const named = (count: number) => Array.from({ length: count }, (_, index) => ({ recipient: `user-${index}` }));
  const ended = (job_id: string) =>
    waitUntil(
      async () => {
        const found = await job(job_id);
        return ['CREATED', 'PROCESSING'].includes(found.status) ? undefined : found;
      },
      { what: `job ${job_id} to end`, timeoutMs: 120_000 },
    );
  const madeOf = (job_id: string) =>
    messaging.rows<{ id: string; recipient: string; request_id: string }>(
      'select id, recipient, request_id from messaging.messages where job_id = $1 order by id',
      [job_id],
    );

  async function prepare(users: object[], message: object = MESSAGE): Promise<string> {
    const { jobId } = await messaging.call(bulk.create, { message });
    await messaging.call(bulk.add, { job_id: jobId, users });
    return jobId;
  }

  async function usersOf(job_id: string): Promise<ListedBulkUser[]> {
    const all: ListedBulkUser[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const page = await messaging.call(bulk.users, { job_id, cursor });
      all.push(...page.items);
      ({ cursor, more } = page.paging);
    }
    return all;
  }

  async function countOf(job_id: string, status: BulkUserStatus): Promise<number> {
    return (await usersOf(job_id)).filter((user) => user.status === status).length;
  }

  it('sends each user the same as a send to it', async () => {
    const id = await prepare([
      { recipient: 'ada', profile: { email: 'ada@example.com' }, data: { name: 'Ada' } },
      { to: { email: 'bo@example.com' }, data: { city: 'Bonn' } },
    ]);

    expect(await run(id, messaging.context)).toEqual({});

    expect(await ended(id)).toEqual({ definition: MESSAGE, received: 2, enqueued: 2, failures: 0, status: 'COMPLETED' });
    const users = await usersOf(id);
    expect(users.map(({ status }) => status)).toEqual(['ENQUEUED', 'ENQUEUED']);
    const [ada, bo] = users.map(({ messageId }) => messageId!) as [string, string];
    await Promise.all([messaging.waitForStatus(ada, 'DELIVERED'), messaging.waitForStatus(bo, 'DELIVERED')]);
    const mails = await Promise.all(
      ['ada@example.com', 'bo@example.com'].map(async (address) => (await messaging.smtp.waitForMailsTo(address))[0]!.parse()),
    );
    expect(mails).toMatchObject([
      { subject: 'Hello Ada', text: expect.stringContaining('Rome') as string },
      { subject: 'Hello you', text: expect.stringContaining('Bonn') as string },
    ]);
    expect(await messaging.call(messages.retrieve, { message_id: ada })).toMatchObject({ recipient: 'ada', jobId: id, listMessageId: id });
    const found = await messaging.call(messages.list, { traceId: id });
    expect(found.results.map((message) => message.id).sort()).toEqual([ada, bo].sort());
  });

  it('warns in the history of what has no effect in the elements of its content', async () => {
    const elements = [{ type: 'text', content: 'Hello', contents: 'x' }];
    const id = await prepare([{ recipient: 'ada', profile: { email: 'ada@example.com' } }], {
      content: { version: '2022-01-01', elements },
    });
    await run(id);
    await ended(id);
    const [user] = await usersOf(id);

    const { results } = await messaging.call(messages.history, { message_id: user!.messageId! });
    expect(results[0]).toMatchObject({
      type: 'ENQUEUED',
      warnings: ['message.content.elements[0].contents is unknown, and has no effect'],
    });
  });

  it('sends the template that the event names; the status is UNMAPPED where it does not exist', async () => {
    messaging.content.publish('welcome', { version: '2022-01-01', elements: [{ type: 'text', content: 'Hello' }] });
    const id = await prepare([{ recipient: 'ada', profile: { email: 'ada@example.com' } }], { event: 'welcome' });
    const unknown = await prepare([{ recipient: 'ada' }], { event: 'unknown template' });
    await Promise.all([run(id), run(unknown)]);
    await Promise.all([ended(id), ended(unknown)]);

    const statuses = await Promise.all([id, unknown].map(async (one) => messaging.statusOf((await usersOf(one))[0]!.messageId!)));

    expect(statuses).toEqual(['SIMULATED', 'UNMAPPED']);
  });

  it('resumes after a stop, page by page, and sends to each user once', async () => {
    const id = await prepare(named(800));
    const [inPage, resume] = [latch(), latch()];
    let pages = 0;
    messaging.profiles.onLoad = () => {
      pages += 1;
      messaging.profiles.isUnavailable = pages > 2; // no further page succeeds before the stop
      if (pages !== 2) return undefined;
      inPage.open();
      return resume.opened;
    };
    await run(id);
    await inPage.opened;
    const stopped = messaging.stop();
    resume.open();
    await stopped;
    messaging.profiles.onLoad = () => undefined;
    messaging.profiles.isUnavailable = false;
    const [halfway] = await messaging.rows<{ enqueued: number }>(
      `select enqueued from messaging.bulk_jobs where status = 'PROCESSING' and received = 800`,
    );

    await messaging.start();

    expect(await ended(id)).toMatchObject({ received: 800, enqueued: 800, failures: 0, status: 'COMPLETED' });
    expect(halfway!.enqueued).toBe(400); // the page in progress was finished
    const made = await madeOf(id);
    expect(made.length).toBe(800);
    expect(new Set(made.map(({ recipient }) => recipient)).size).toBe(800);
    expect(new Set((await usersOf(id)).map(({ messageId }) => messageId))).toEqual(new Set(made.map((row) => uuidToMessageId(row.id))));
  });

  it('updates users and counts together, and makes messages once, when a page is repeated', async () => {
    const id = await prepare(named(10));
    const allow = await refusing(messaging, { table: 'bulk_jobs', on: 'update', condition: 'new.enqueued > 0' });
    await run(id);
    await waitUntil(async () => (await madeOf(id)).length === 10, { what: 'the messages of the page' });
    const [{ lane } = { lane: -1 }] = await messaging.rows<{ lane: number }>('select lane from messaging.expansions');

    expect(await job(id)).toMatchObject({ enqueued: 0, status: 'PROCESSING' });
    expect(await countOf(id, 'PENDING')).toBe(10);
    expect(lane).toBe(2); // bulk
    await allow();

    expect(await ended(id)).toMatchObject({ enqueued: 10, failures: 0, status: 'COMPLETED' });
    expect((await madeOf(id)).length).toBe(10);
    expect(await countOf(id, 'ENQUEUED')).toBe(10);
    expect(await messaging.rows('select from messaging.expansions')).toEqual([]);
  });

  it('settles a user once: a later process changes neither users nor counts', async () => {
    const id = await prepare(named(2));
    const [request, database] = [messaging.request({ jobId: id }), messaging.get<Database>(Database)];
    const readPage = () => jobPage(database, new ProfileSecrets(), request, id, undefined);
    const [first, late] = [await readPage(), await readPage()];
    const ends = first.recipients.map(() => ({ messageId: newMessageId(Date.now()) }));
    await database.transaction((tx) => first.settle!(tx, ends, false));
    const before = [await usersOf(id), await job(id)];

    const others = late.recipients.map(() => ({ messageId: newMessageId(Date.now()), error: 'Refused' }));
    await database.transaction((tx) => late.settle!(tx, others, false));

    expect(before).toMatchObject([[{ status: 'ENQUEUED' }, { status: 'ENQUEUED' }], { enqueued: 2, failures: 0 }]);
    expect([await usersOf(id), await job(id)]).toEqual(before);
  });

  it('skips a user whose message cannot be stored, with the error', async () => {
    const allow = await refusing(messaging, { table: 'messages', on: 'insert', condition: `new.recipient = 'user-3'` });
    const id = await prepare(named(6));

    await run(id);

    expect(await ended(id)).toMatchObject({ received: 6, enqueued: 5, failures: 1, status: 'COMPLETED' });
    await allow();
    const [failed, ...others] = (await usersOf(id)).filter(({ status }) => status !== 'ENQUEUED');
    expect(failed).toMatchObject({
      recipient: 'user-3',
      status: 'ERROR',
      error: 'The message could not be processed: Something went wrong on our side',
    });
    expect(failed).not.toHaveProperty('messageId');
    expect(others).toEqual([]);
  });

  it('ends in error when no message could be stored', async () => {
    const allow = await refusing(messaging, { table: 'messages', on: 'insert', condition: 'true' });
    const id = await prepare([...named(3), { recipient: 'wrong', data: 7 }]);

    await run(id);

    expect(await ended(id)).toMatchObject({ received: 4, enqueued: 0, failures: 4, status: 'ERROR' });
    await allow();
    expect(await countOf(id, 'ERROR')).toBe(4);
  });

  it('waits while another service is unavailable, and loses no user', async () => {
    const id = await prepare(named(3));
    messaging.profiles.isUnavailable = true;
    const before = messaging.profiles.refused;
    await run(id);
    await waitUntil(() => messaging.profiles.refused > before, { what: 'a refused load' });
    expect(await job(id)).toMatchObject({ enqueued: 0, failures: 0, status: 'PROCESSING' });

    messaging.profiles.isUnavailable = false;

    expect(await ended(id)).toMatchObject({ enqueued: 3, failures: 0, status: 'COMPLETED' });
  });

  it('gives messages the time of the run, however old the job is', async () => {
    const [{ job_id: old }] = (await messaging.rows<{ job_id: string }>(
      `update messaging.bulk_jobs set job_id = '5e2b2615-05ef-bb3a-cab9-172f88dd3f6f' where job_id = $1 returning job_id`,
      [await prepare([])].map((id) => id.replace(/^1-(.{8})-(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')),
    )) as [{ job_id: string }];
    const id = uuidToMessageId(old);
    await messaging.call(bulk.add, { job_id: id, users: named(1) });
    const before = Date.now();

    await run(id);

    await ended(id);
    const [made] = await madeOf(id);
    expect(messageIdTime(uuidToMessageId(made!.id))).toBeGreaterThanOrEqual(before - 1_000);
    expect(made!.request_id).toBe(old);
  });
});
