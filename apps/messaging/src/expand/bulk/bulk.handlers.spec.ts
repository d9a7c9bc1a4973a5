import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import { bulk, BULK_USERS_MAX } from '@tidings/contracts/messaging/bulk';
import { providers } from '@tidings/contracts/messaging/providers';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { Messaging } from '../../testing/start-messaging';
import { ProvidersUnderTest, SMS_SETTINGS } from '../../testing/start-providers';

const MESSAGE = { content: { title: 'Hello {name}', body: 'There' }, data: { name: 'you' } };

describe('bulk jobs', () => {
  let messaging: Messaging;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
  });

  afterAll(() => messaging.end());

  const create = async (message: object = MESSAGE, context = messaging.context): Promise<string> =>
    (await messaging.call(bulk.create, { message }, context)).jobId;
  const add = (job_id: string, users: object[], context = messaging.context) => messaging.call(bulk.add, { job_id, users }, context);
  const job = async (job_id: string, context = messaging.context) => (await messaging.call(bulk.retrieve, { job_id }, context)).job;
  const users = (job_id: string, cursor?: string) => messaging.call(bulk.users, { job_id, cursor });
  const simulated = { ...contextOf('00000000-0000-4000-8000-000000000000'), mode: 'test' as const };
  const named = (count: number, prefix = 'user'): { recipient: string }[] =>
    Array.from({ length: count }, (_, index) => ({ recipient: `${prefix}-${index}` }));

  it('store the whole message, including unknown fields', async () => {
    const message = { ...MESSAGE, event: 'signup', locale: { de: { greeting: 'Hallo' } }, unknown: [1] };
    const id = await create(message);

    expect(id).toMatch(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/);
    expect(await job(id)).toEqual({ definition: message, enqueued: 0, failures: 0, received: 0, status: 'CREATED' });
    expect(await users(id)).toEqual({ items: [], paging: { more: false } });
  });

  it.each([
    {},
    { data: { a: 1 } },
    { content: { title: 7 } },
    { content: { title: '{{', body: 'x' } },
    { event: 'x', data: { text: 'x'.repeat(3_000_000) } },
  ])('are refused without a valid message (%#)', async (message) => {
    await expect(create(message)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('are refused with an unknown channel, unless it is the alias of a provider', async () => {
    const message = { event: 'e', message: { routing: { method: 'single', channels: ['emial'] } } };
    await expect(create(message)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^message\.message\.routing\.channels\[0\] must be one of .*\(got "emial"\)$/) as string,
    });

    await messaging.call(providers.create, { provider: 'http', alias: 'emial', settings: SMS_SETTINGS });
    await expect(create(message)).resolves.toBeDefined();
  });

  it('have no more users than the quota of the workspace, all unfinished jobs together', async () => {
    const limited = { ...contextOf(randomUUID()), quota: 3 };
    const [one, other] = [await create(MESSAGE, limited), await create(MESSAGE, limited)];
    await add(one, named(2), limited);
    const exceeded = {
      code: 'forbidden',
      message: 'The quota bulk_rows of the workspace is 3: it cannot have more rows in open bulk jobs than that',
    };

    await expect(add(other, named(2), limited)).rejects.toMatchObject(exceeded);

    expect(await job(other, limited)).toMatchObject({ received: 0 });
    await expect(add(one, named(2), limited)).resolves.toMatchObject({ total: 0 });
    await messaging.call(bulk.run, { job_id: one }, { ...limited, mode: 'test' });
    await waitUntil(async () => (await job(one, limited)).status === 'COMPLETED', { what: 'the job to end' });
    await waitUntil(
      () =>
        add(other, named(2), limited).then(
          () => true,
          () => false,
        ),
      { what: 'users to be added' },
    );
  });

  it('list their users unchanged, in the order in which they were added', async () => {
    const id = await create();
    const given = [
      { recipient: 'zoe', data: { n: 1 }, preferences: { notifications: {} } },
      { to: { user_id: 'ada', email: 'ada@example.com' } },
      { profile: { email: 'bo@example.com', name: 'Bo' } },
    ];

    expect(await add(id, given)).toEqual({ total: 3, errors: [] });
    expect(await add(id, [{ recipient: 'eve' }])).toEqual({ total: 1, errors: [] });

    expect((await users(id)).items).toEqual([
      { ...given[0], status: 'PENDING' },
      { recipient: 'ada', ...given[1], status: 'PENDING' },
      { recipient: 'bo@example.com', ...given[2], status: 'PENDING' },
      { recipient: 'eve', status: 'PENDING' },
    ]);
    expect(await job(id)).toMatchObject({ received: 4, enqueued: 0, failures: 0, status: 'CREATED' });
  });

  it('accept each recipient once, and report duplicates', async () => {
    const id = await create();
    await add(id, [{ recipient: 'ada' }, { profile: { email: 'bo@example.com' } }]);
    const again = [
      { recipient: 'ada', data: { n: 2 } },
      { to: { email: 'bo@example.com' } },
      { recipient: 'eve' },
      { to: { user_id: 'eve' } },
    ];

    expect(await add(id, again)).toEqual({
      total: 1,
      errors: [again[0], again[1], again[3]].map((user) => ({ user, error: 'Duplicate user' })),
    });
    expect(await job(id)).toMatchObject({ received: 3, failures: 0 });
    expect((await users(id)).items[0]).toEqual({ recipient: 'ada', status: 'PENDING' });
  });

  it('list invalid users with the error, until a corrected entry replaces them', async () => {
    const id = await create();
    const wrong = [
      { recipient: 'ada', profile: { email: 7 } },
      { data: { anonymous: true } },
      { recipient: 'bo', to: { list_id: 'team' } },
    ];

    const { total, errors } = await add(id, [...wrong, { recipient: 'eve' }]);

    expect(total).toBe(1);
    expect(errors.map(({ user }) => user)).toEqual(wrong);
    expect(errors[0]!.error).toContain('profile.email must be an e-mail address (got 7)');
    expect(await job(id)).toMatchObject({ received: 4, failures: 3, enqueued: 0 });
    expect((await users(id)).items).toMatchObject([
      { recipient: 'ada', status: 'ERROR', error: errors[0]!.error },
      { status: 'ERROR', error: errors[1]!.error },
      { recipient: 'bo', status: 'ERROR', error: errors[2]!.error },
      { recipient: 'eve', status: 'PENDING' },
    ]);

    expect(await add(id, [{ recipient: 'ada' }, { recipient: 'bo', data: 7 }])).toMatchObject({
      total: 1,
      errors: [{ user: { recipient: 'bo' } }],
    });
    expect(await job(id)).toMatchObject({ received: 4, failures: 2 });
    expect((await users(id)).items).toMatchObject([
      { recipient: 'ada', status: 'PENDING' },
      {},
      { recipient: 'bo', status: 'ERROR', data: 7 },
      {},
    ]);
    expect((await users(id)).items[0]).not.toHaveProperty('error');
  });

  it('count no user again when a call is repeated, except users without a recipient', async () => {
    const id = await create();
    const named = [{ recipient: 'ada' }, { recipient: 'bo', profile: { email: 7 } }];
    await add(id, named);
    const { total, errors } = await add(id, named);

    expect(total).toBe(0);
    expect(errors.map(({ user }) => user)).toEqual(named);
    expect(await job(id)).toMatchObject({ received: 2, failures: 1 });
    expect((await users(id)).items).toHaveLength(2);

    for (const received of [3, 4]) {
      await add(id, [{ data: { anonymous: true } }]);
      expect(await job(id)).toMatchObject({ received, failures: received - 1 });
    }
  });

  it('count the valid one of several entries for a recipient, whichever came first', async () => {
    const id = await create();

    const { total, errors } = await add(id, [{ recipient: 'ada', data: 7 }, { recipient: 'ada' }, { recipient: 'ada', data: 8 }]);

    expect([total, errors.length]).toEqual([1, 2]);
    expect(await job(id)).toMatchObject({ received: 1, failures: 0 });
  });

  it('count exactly what 50 concurrent calls with shared users add', async () => {
    const id = await create();
    const calls = Array.from({ length: 50 }, (_, n) =>
      add(id, [...named(20, 'shared').sort(() => (n % 2) - 0.5), ...named(5, `own-${n}`)]),
    );

    const answers = await Promise.all(calls);

    expect(answers.reduce((sum, { total }) => sum + total, 0)).toBe(270);
    expect(answers.reduce((sum, { errors }) => sum + errors.length, 0)).toBe(50 * 20 - 20);
    expect(await job(id)).toMatchObject({ received: 270, failures: 0 });
  });

  it(`accept ${BULK_USERS_MAX} users in a call, and list them page by page`, async () => {
    const id = await create();
    const many = named(BULK_USERS_MAX);

    expect(await add(id, many)).toEqual({ total: BULK_USERS_MAX, errors: [] });
    expect(await job(id)).toMatchObject({ received: BULK_USERS_MAX });
    await expect(add(id, named(BULK_USERS_MAX + 1))).rejects.toMatchObject({ code: 'invalid_request' });

    const seen: (string | null | undefined)[] = [];
    for (let cursor: string | undefined, more = true; more && seen.length < 1_000;) {
      const page = await users(id, cursor);
      expect(page.items).toHaveLength(100);
      seen.push(...page.items.map(({ recipient }) => recipient));
      ({ cursor, more } = page.paging);
    }
    expect(seen).toEqual(many.slice(0, 1_000).map(({ recipient }) => recipient));
  });

  it('bound the size of pages with large users, and omit none', async () => {
    const id = await create();
    for (let call = 0; call < 2; call += 1) {
      await add(
        id,
        named(20, `large-${call}`).map((user) => ({ ...user, data: { text: 'x'.repeat(250_000) } })),
      );
    }

    const seen: unknown[] = [];
    const sizes: number[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const page = await users(id, cursor);
      sizes.push(Buffer.byteLength(JSON.stringify(page)));
      seen.push(...page.items.map(({ recipient }) => recipient));
      ({ cursor, more } = page.paging);
    }
    expect(new Set(seen).size).toBe(40);
    expect(seen).toHaveLength(40);
    expect(Math.max(...sizes)).toBeLessThan(4_000_000);
  });

  it('bound the size of reported errors', async () => {
    const id = await create();
    const large = named(20).map((user) => ({ ...user, data: { text: 'x'.repeat(250_000) } }));
    await add(id, large);

    const { total, errors } = await add(id, large);

    expect(total).toBe(0);
    expect(errors.length).toBeGreaterThan(10);
    expect(Buffer.byteLength(JSON.stringify(errors))).toBeLessThan(4_000_000);
  });

  it('of an API key with limits keep them: for their users, and for other keys', async () => {
    const limited = { ...messaging.context, recipients: ['ada', 'ada@example.com'] };
    const others = { ...messaging.context, recipients: ['eve'] };
    const refused = { code: 'forbidden' };
    const id = await create(MESSAGE, limited);
    const open = await create();

    for (const context of [limited, messaging.context]) {
      await expect(add(id, [{ recipient: 'ada' }, { recipient: 'eve' }], context)).rejects.toMatchObject(refused);
      await expect(add(id, [{ recipient: 'ada', profile: { email: 'eve@example.com' } }], context)).rejects.toMatchObject(refused);
    }
    await expect(add(open, [{ recipient: 'ada' }], limited)).rejects.toMatchObject(refused);
    await expect(add(id, [{ recipient: 'eve' }], others)).rejects.toMatchObject(refused);
    expect(await job(id)).toMatchObject({ received: 0 });

    expect(await add(id, [{ recipient: 'ada' }], limited)).toMatchObject({ total: 1 });
    await add(open, [{ recipient: 'eve' }]);
    for (const [job_id, context] of [
      [open, limited],
      [id, others],
    ] as const) {
      await expect(messaging.call(bulk.run, { job_id }, context)).rejects.toMatchObject(refused);
      expect(await job(job_id)).toMatchObject({ status: 'CREATED' });
    }
    await messaging.call(bulk.run, { job_id: id }, limited);
    await waitUntil(async () => (await job(id)).status === 'COMPLETED', { what: 'the run' });

    const stored = { ...messaging.context, scopes: ['write:send:stored', 'write:bulk'] };
    await expect(create(MESSAGE, stored)).rejects.toMatchObject(refused);
    const templated = await create({ event: 'welcome' }, stored);
    await expect(add(templated, [{ profile: { email: 'eve@example.com' } }], stored)).rejects.toMatchObject(refused);
    expect(await add(templated, [{ recipient: 'ada' }], stored)).toMatchObject({ total: 1 });
  });

  it('complete with zero counts without users, and accept none afterwards', async () => {
    const id = await create();

    expect(await messaging.call(bulk.run, { job_id: id })).toEqual({});

    expect(await job(id)).toMatchObject({ received: 0, enqueued: 0, failures: 0, status: 'COMPLETED' });
    await expect(add(id, [{ recipient: 'ada' }])).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('already run') as string,
    });
    await expect(messaging.call(bulk.run, { job_id: id })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await messaging.rows('select from messaging.expansions')).toEqual([]);
  });

  it('end in error when every user is invalid', async () => {
    const id = await create();
    await add(id, [{ recipient: 'ada', data: 7 }]);

    await messaging.call(bulk.run, { job_id: id });

    expect(await job(id)).toMatchObject({ received: 1, failures: 1, enqueued: 0, status: 'ERROR' });
  });

  it('run once under concurrent calls, with all users of an add or none', async () => {
    const id = await create(MESSAGE, simulated);
    await add(id, named(1, 'first'), simulated);
    const adds = Array.from({ length: 10 }, (_, n) => add(id, named(30, `call-${n}`), simulated));
    const runs = Array.from({ length: 5 }, () => messaging.call(bulk.run, { job_id: id }, simulated));

    const added = (await Promise.allSettled(adds)).filter(({ status }) => status === 'fulfilled').length;
    const ran = (await Promise.allSettled(runs)).filter(({ status }) => status === 'fulfilled').length;

    expect(ran).toBe(1);
    const done = await waitUntil(async () => {
      const found = await job(id, simulated);
      return found.status === 'COMPLETED' ? found : undefined;
    });
    expect(done).toMatchObject({ received: 30 * added + 1, enqueued: 30 * added + 1, failures: 0 });
  });

  it.each(['1-00000000-000000000000000000000000', 'nothing', 'a/b c'])('answer 404 for an unknown id: %j', async (id) => {
    for (const attempt of [() => job(id), () => users(id), () => add(id, []), () => messaging.call(bulk.run, { job_id: id })]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('refuse an invalid cursor', async () => {
    await expect(users(await create(), 'nonsense')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  const owned: Record<string, string> = {};
  const of = ({ workspaceId }: { workspaceId: string }): string => owned[workspaceId] ?? Object.values(owned).at(-1)!;
  describeWorkspaceIsolation('a bulk job', {
    arrange: async (owner) => {
      const id = await create(MESSAGE, owner);
      owned[owner.workspaceId] = id;
      await add(id, [{ recipient: 'ada' }], owner);
    },
    read: async (owner) => [await job(of(owner), owner), (await messaging.call(bulk.users, { job_id: of(owner) }, owner)).items],
    attempts: {
      reading: { attempt: (stranger) => job(of(stranger), stranger), refusedWith: 'not_found' },
      listing: { attempt: (stranger) => messaging.call(bulk.users, { job_id: of(stranger) }, stranger), refusedWith: 'not_found' },
      adding: { attempt: (stranger) => add(of(stranger), [{ recipient: 'eve' }], stranger), refusedWith: 'not_found' },
      running: { attempt: (stranger) => messaging.call(bulk.run, { job_id: of(stranger) }, stranger), refusedWith: 'not_found' },
    },
  });
});

describe('a call of a bulk job that is delivered twice', () => {
  let service: TestService;

  beforeAll(async () => {
    ({ service } = await ProvidersUnderTest.start());
  });

  afterAll(() => service.stop());

  it('is applied once', async () => {
    const context = contextOf(randomUUID());
    const twice: TestService['call'] = async (...parameters) => {
      const call = service.redelivered();
      const first = await call(...parameters);
      expect(await call(...parameters)).toEqual(first);
      return first;
    };

    const { jobId: job_id } = await twice(bulk.create, context, { message: MESSAGE });
    const users = ['ada', 'bo', 'ada'].map((recipient) => ({ recipient }));
    const added = await twice(bulk.add, context, { job_id, users });
    await twice(bulk.run, context, { job_id });

    expect(added).toEqual({ total: 2, errors: [{ user: { recipient: 'ada' }, error: 'Duplicate user' }] });
    expect(await service.call(bulk.retrieve, context, { job_id })).toMatchObject({ job: { received: 2, status: 'PROCESSING' } });
    expect(await service.sql('select from expansions', [])).toHaveLength(1);
    expect(await service.sql('select from bulk_jobs', [])).toHaveLength(1);
  });
});
