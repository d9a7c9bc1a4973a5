import Courier from '@trycourier/courier';
import { SendingFixture } from './testing/sending-fixture';
const CONTENT = { title: 'Dear {name}', body: 'Come to {place}.' };

let fixture: SendingFixture;
beforeAll(async () => {
  fixture = await SendingFixture.start();
});
afterAll(() => fixture?.end());

interface Job {
  definition: object;
  received: number;
  enqueued: number;
  failures: number;
  status: string;
}
interface Added {
  total: number;
  errors: { user: object; error: string }[];
}
type Listed = Courier.BulkListUsersResponse.Item & { error?: string };

const created = async (message: object): Promise<string> => (await fixture.call<{ jobId: string }>('POST', '/bulk', { message })).jobId;
const add = (jobId: string, ...users: object[]): Promise<Added> => fixture.call<Added>('POST', `/bulk/${jobId}`, { users });
const job = async (jobId: string): Promise<Job> => (await fixture.call<{ job: Job }>('GET', `/bulk/${jobId}`)).job;
const users = async (jobId: string): Promise<Listed[]> => (await fixture.sdk.bulk.listUsers(jobId)).items;
const subjectTo = async (email: string): Promise<string | undefined> =>
  (await (await fixture.smtp.waitForMailsTo(email))[0]!.parse()).subject;
async function run(jobId: string, status = 'COMPLETED'): Promise<Job> {
  await fixture.sdk.bulk.runJob(jobId);
  await fixture.until(`job ${jobId} ${status}`, async () => (await job(jobId)).status === status);
  return job(jobId);
}
const address = (): string => `${fixture.name('bulk')}@example.com`;
const refused = (text: string) => ({
  status: 400,
  error: { type: 'invalid_request_error', message: expect.stringContaining(text) as string },
});

describe('the message of a job', () => {
  const data = { name: 'friend', place: 'Rome' };
  const forms: [form: string, message: (template: string) => object, event: (template: string) => string][] = [
    ['an event or template in `event`', (template) => ({ event: template, data }), (template) => template],
    ['`template`', (template) => ({ template, data }), (template) => template],
    ['`template` beside `event`', (template) => ({ event: 'invitation', template, data }), (template) => template],
    ['`content`', () => ({ content: CONTENT, data }), () => ''],
    ['`content` beside `event`', () => ({ event: 'invitation', content: CONTENT, data }), () => 'invitation'],
    ['a nested message with content', () => ({ message: { content: CONTENT, data } }), () => ''],
    ['a nested message with template', (template) => ({ message: { template, data } }), (template) => template],
    ['a nested message beside `event`', () => ({ event: 'invitation', data, message: { content: CONTENT } }), () => 'invitation'],
  ];
  it.each(forms)('is %s', async (_form, message, event) => {
    const template = await fixture.template();
    const definition = message(template);
    const jobId = await created(definition);
    const email = address();
    await add(jobId, { profile: { email } });

    expect(await run(jobId)).toEqual({ definition, received: 1, enqueued: 1, failures: 0, status: 'COMPLETED' });

    const [{ messageId }] = (await users(jobId)) as [Listed];
    expect(await fixture.once('DELIVERED', messageId!)).toMatchObject({
      recipient: email,
      event: event(template),
      jobId,
      listMessageId: jobId,
    });
    expect(await subjectTo(email)).toBe(JSON.stringify(definition).includes(CONTENT.title) ? 'Dear friend' : 'Hello');
  });

  it('is sent by the routing and with the brand, the override and the locale it names', async () => {
    const brand = await fixture.sdk.brands.create({ name: 'Acme', settings: { email: { footer: { markdown: 'Acme, Paris' } as object } } });
    const jobId = await created({
      event: await fixture.template(),
      brand: brand.id,
      override: { smtp: { subject: 'Overridden' } },
      locale: { de: {} },
      routing: { method: 'single', channels: ['email'] },
    });
    const email = address();
    await add(jobId, { profile: { email, phone_number: fixture.phone } });
    await run(jobId);
    const mail = await (await fixture.smtp.waitForMailsTo(email))[0]!.parse();
    expect(mail.subject).toBe('Overridden');
    expect(mail.html).toContain('Acme, Paris');
  });

  it.each<[string, object, string]>([
    ['is empty', {}, 'event, template, content'],
    ['has an empty nested message', { message: {} }, 'event, template, content'],
    ['has both template and content', { template: 'a', content: CONTENT }, 'both template and content'],
    ['has an event that is not a string', { event: 7 }, 'event'],
    ['has data that is not an object', { event: 'a', data: 'x' }, 'data'],
    ['has a routing with an unknown method', { event: 'a', routing: { method: 'some', channels: ['email'] } }, 'routing.method'],
  ])('is refused when it %s', async (_what, message, text) => {
    await expect(fixture.sdk.bulk.createJob({ message: message as never })).rejects.toMatchObject(refused(text));
  });
});

describe('a user of a job', () => {
  it('is named by id, or by address in the profile or in `to`; its data override those of the job', async () => {
    const stored = await fixture.user();
    const [profile, to] = [address(), address()];
    const jobId = await created({ content: CONTENT, data: { name: 'friend', place: 'Rome' } });
    const given = [
      { recipient: stored, data: { name: 'Ada' } },
      { profile: { email: profile }, data: { name: 'Bo' } },
      { to: { email: to, data: { name: 'Cy' } } },
    ];
    expect(await add(jobId, ...given)).toEqual({ total: 3, errors: [] });
    expect((await users(jobId)).map(({ status, messageId }) => [status, messageId])).toEqual(Array(3).fill(['PENDING', undefined]));

    expect(await run(jobId)).toMatchObject({ received: 3, enqueued: 3, failures: 0 });

    for (const [email, name] of [
      [`${stored}@example.com`, 'Ada'],
      [profile, 'Bo'],
      [to, 'Cy'],
    ] as const) {
      expect(await subjectTo(email)).toBe(`Dear ${name}`);
    }
    const listed = await users(jobId);
    const messageId = expect.stringMatching(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/) as string;
    expect(listed).toEqual([
      { ...given[0], status: 'ENQUEUED', messageId },
      { recipient: profile, ...given[1], status: 'ENQUEUED', messageId },
      { recipient: to, ...given[2], status: 'ENQUEUED', messageId },
    ]);
  });

  it('that is in the job already is reported and not counted', async () => {
    const jobId = await created({ content: CONTENT });
    const [user, email] = ['twice', address()];
    expect(await add(jobId, { recipient: user }, { recipient: user, data: { n: 2 } })).toEqual({
      total: 1,
      errors: [{ user: { recipient: user, data: { n: 2 } }, error: 'Duplicate user' }],
    });
    expect(await add(jobId, { to: { user_id: user } }, { profile: { email } }, { to: { email } })).toEqual({
      total: 1,
      errors: [
        { user: { to: { user_id: user } }, error: 'Duplicate user' },
        { user: { to: { email } }, error: 'Duplicate user' },
      ],
    });
    expect(await job(jobId)).toMatchObject({ received: 2, failures: 0, status: 'CREATED' });
  });

  const wrong: [what: string, user: object, text: string][] = [
    ['has no recipient', { data: { n: 1 } }, 'needs recipient'],
    ['is a list', { to: { list_id: 'team' } }, 'to.list_id'],
    ['names two users', { recipient: 'ada', to: { user_id: 'bo' } }, 'two users'],
    ['has data that is not an object', { recipient: 'ada', data: 'x' }, 'data'],
    ['has an invalid preference', { recipient: 'ada', preferences: { categories: { news: { status: 'MAYBE' } } } }, 'preferences'],
  ];
  it.each(wrong)('that %s is reported, is stored with the error, and does not stop the others', async (_what, user, text) => {
    const jobId = await created({ content: CONTENT });
    const email = address();
    const error = expect.stringContaining(text) as string;
    expect(await add(jobId, user, { profile: { email } })).toEqual({ total: 1, errors: [{ user, error }] });
    expect(await job(jobId)).toMatchObject({ received: 2, enqueued: 0, failures: 1, status: 'CREATED' });

    expect(await run(jobId)).toMatchObject({ received: 2, enqueued: 1, failures: 1, status: 'COMPLETED' });

    expect(await users(jobId)).toMatchObject([
      { status: 'ERROR', error },
      { recipient: email, status: 'ENQUEUED' },
    ]);
    expect((await users(jobId))[0]).not.toHaveProperty('messageId');
  });

  it('that cannot be reached gets an UNROUTABLE message', async () => {
    const jobId = await created({ content: CONTENT });
    await add(jobId, { recipient: fixture.name('nowhere') });
    expect(await run(jobId)).toMatchObject({ enqueued: 1, failures: 0 });
    const [{ messageId }] = (await users(jobId)) as [Listed];
    await fixture.once('UNROUTABLE', messageId!);
  });
});

describe('a job', () => {
  it('without users completes with zeros', async () => {
    const jobId = await created({ content: CONTENT });
    expect(await run(jobId)).toMatchObject({ received: 0, enqueued: 0, failures: 0, status: 'COMPLETED' });
  });

  it('without a single message is in ERROR', async () => {
    const jobId = await created({ content: CONTENT });
    await add(jobId, { data: {} }, { to: { list_id: 'team' } });
    expect(await run(jobId, 'ERROR')).toMatchObject({ received: 2, enqueued: 0, failures: 2 });
  });

  it('waits for its run and runs once: it refuses users and another run afterwards', async () => {
    const jobId = await created({ content: CONTENT });
    await add(jobId, { profile: { email: address() } });
    expect(await job(jobId)).toMatchObject({ status: 'CREATED', received: 1, enqueued: 0 });
    await run(jobId);
    await expect(fixture.sdk.bulk.runJob(jobId)).rejects.toMatchObject(refused('already run'));
    await expect(fixture.sdk.bulk.addUsers(jobId, { users: [{ recipient: 'late' }] })).rejects.toMatchObject(refused('already run'));
    expect(await job(jobId)).toMatchObject({ received: 1, enqueued: 1, status: 'COMPLETED' });
  });

  it('answers 201, 200, 202 and 200, and lists its users in pages', async () => {
    const request = (method: string, path: string, body?: object) => fixture.client.request<{ jobId: string }>(method, path, { body });
    const created = await request('POST', '/bulk', { message: { content: CONTENT } });
    const path = `/bulk/${made.body.jobId}`;
    expect([made.status, made.body]).toEqual([201, { jobId: expect.stringMatching(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/) as string }]);
    const many = Array.from({ length: 101 }, (_, n) => ({ recipient: `page-${n}` }));
    expect(await request('POST', path, { users: many })).toMatchObject({ status: 200, body: { total: 101, errors: [] } });
    expect(await request('GET', `${path}/users`)).toMatchObject({ status: 200, body: { paging: { more: true } } });
    expect(await request('POST', `${path}/run`, {})).toMatchObject({ status: 202, body: {} });
    expect(await request('GET', path)).toMatchObject({ status: 200 });
    const recipients: (string | null | undefined)[] = [];
    for (let cursor: string | null | undefined, more = true; more;) {
      const page = await fixture.sdk.bulk.listUsers(made.body.jobId, { cursor });
      recipients.push(...page.items.map(({ recipient }) => recipient));
      ({ cursor, more } = page.paging);
    }
    expect(recipients).toEqual(many.map(({ recipient }) => recipient));
  });

  it.each([
    ['no users', {}],
    ['users that are not an array', { users: 'ada' }],
    ['a user that is a string', { users: ['ada'] }],
    ['10,001 users', { users: Array.from({ length: 10_001 }, (_, n) => ({ recipient: `u${n}` })) }],
  ])('refuses a call with %s and stores none of it', async (_what, body) => {
    const jobId = await created({ content: CONTENT });
    const answer = await fixture.client.request<{ type: string }>('POST', `/bulk/${jobId}`, { body });
    expect([answer.status, answer.body.type]).toEqual([400, 'invalid_request_error']);
    expect(await job(jobId)).toMatchObject({ received: 0 });
  });

  it.each(['1-00000000-000000000000000000000000', 'nonsense', 'a b/c'])('%s is not found', async (jobId) => {
    const missing = { status: 404, error: { type: 'invalid_request_error' } };
    await expect(fixture.sdk.bulk.retrieveJob(jobId)).rejects.toMatchObject(missing);
    await expect(fixture.sdk.bulk.listUsers(jobId)).rejects.toMatchObject(missing);
    await expect(fixture.sdk.bulk.runJob(jobId)).rejects.toMatchObject(missing);
    await expect(fixture.sdk.bulk.addUsers(jobId, { users: [{ recipient: 'ada' }] })).rejects.toMatchObject(missing);
  });
});
