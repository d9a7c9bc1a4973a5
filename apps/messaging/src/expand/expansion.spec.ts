import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { messages } from '@tidings/contracts/messaging/messages';
import type { Target, UserTarget } from '@tidings/contracts/messaging/targets';
import { Database } from '@tidings/persistence/database';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { Processor } from '../deliver/processor';
import { Renderer } from '../deliver/renderer';
import { retryWhileUnavailable } from '../testing/retry-while-unavailable';
import { leaseRenewed, RENEWALS } from '../testing/lease-renewed';
import { Messaging, RENEWING_OFTEN } from '../testing/start-messaging';
import { type Expansion, Expansions } from './expansion-store';
import { PAGE_BYTES_MAX, PAGE_SIZE } from './derive';

const HOUR_MS = 3_600_000;

interface DerivedRow {
  recipient: string;
  status: string;
  list_id: string | null;
  tenant_id: string | null;
  reason: string | null;
}

describe('a send to many', () => {
  let messaging: Messaging;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
  });

  beforeEach(() => {
    messaging.members.clear();
    messaging.profiles.recipients.clear();
    messaging.profiles.topics.length = 0;
    messaging.profiles.tenants.length = 0;
  });

  afterEach(() => jest.restoreAllMocks());
  afterAll(() => messaging.end());

  /** Simulated unless the fields have a mode: these tests check who gets a message. */
  const send = async (targets: Target[], fields: Partial<MessageRequested> = {}): Promise<string> => {
    const id = newMessageId(Date.now());
    await messaging.send({ mode: 'test', id, recipient: id, profile: {}, targets, ...fields });
    return id;
  };
  const derived = (id: string): Promise<DerivedRow[]> =>
    messaging.rows(
      'select recipient, status, list_id, tenant_id, reason from messaging.messages where request_id = $1 order by recipient, id',
      [messageIdToUuid(id)],
    );
  const open = (id: string): Promise<unknown[]> =>
    messaging.rows('select from messaging.expansions where request_id = $1', [messageIdToUuid(id)]);
  const expanded = async (id: string, count: number): Promise<DerivedRow[]> => {
    await waitUntil(async () => (await derived(id)).length >= count && (await open(id)).length === 0, {
      what: `${count} messages`,
      timeoutMs: 90_000,
    });
    return derived(id);
  };
  const user = (userId: string, fields: Partial<UserTarget> = {}): UserTarget => ({
    kind: 'user',
    userId,
    recipient: userId,
    profile: { email: `${userId}@example.com` },
    ...fields,
  });
  const named = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `${prefix}-${String(n).padStart(5, '0')}`);
  const storeProfiles = (users: readonly string[]): void => {
    for (const one of users) messaging.profiles.stored.set(one, { email: `${one}@example.com` });
  };
  const subscribed = (list: string, count: number): string[] => {
    const users = named(list, count);
    storeProfiles(users);
    messaging.members.subscribe(list, users);
    return users;
  };

  it('of an array sends one message per entry: a user named twice gets two, each with its own variables', async () => {
    const id = await send([user('twice', { data: { name: 'First' } }), user('twice', { data: { name: 'Second' } }), user('other')], {
      mode: 'production',
    });

    expect(await expanded(id, 3)).toMatchObject([{ recipient: 'other' }, { recipient: 'twice' }, { recipient: 'twice' }]);
    const mails = await messaging.smtp.waitForMailsTo('twice@example.com', 2);
    const subjects = await Promise.all(mails.map(async (mail) => (await mail.parse()).subject));
    expect(subjects.sort()).toEqual(['Hello First', 'Hello Second']);
  });

  it('of a long array with users and lists reaches each entry', async () => {
    const users = subscribed('mixed', 30);
    const entries: Target[] = [...named('entry', 40).map((one) => user(one)), { kind: 'list', listId: 'mixed' }, user('mixed-00000')];
    const id = await send(entries);

    const rows = await expanded(id, 71);

    expect(rows).toHaveLength(71);
    expect(rows.filter(({ recipient }) => recipient === 'mixed-00000')).toHaveLength(2);
    expect(new Set(rows.map(({ recipient }) => recipient))).toEqual(new Set([...named('entry', 40), ...users]));
  });

  it('of a list records the list, and applies the preferences of the subscription and of the list', async () => {
    const topic = { topic_id: 'news', name: 'News', default_status: 'OPTED_IN', include_unsubscribe_header: false } as const;
    messaging.profiles.topics.push({ ...topic, workspace_id: messaging.workspaceId, section_id: 's', section_name: 'S' });
    storeProfiles(['likes', 'hates', 'silent']);
    const opted = (status: 'OPTED_IN' | 'OPTED_OUT') => ({ categories: { news: { status } } });
    messaging.members.lists.set(
      'loud',
      new Map([
        ['likes', opted('OPTED_IN')],
        ['hates', opted('OPTED_OUT')],
        ['silent', undefined],
      ]),
    );
    messaging.members.listPreferences.set('loud', opted('OPTED_OUT'));
    const id = await send([{ kind: 'list', listId: 'loud' }], { topicId: 'news' });

    const rows = await expanded(id, 3);

    expect(rows.map(({ recipient, status, reason }) => [recipient, status, reason])).toEqual([
      ['hates', 'UNDELIVERABLE', 'UNSUBSCRIBED'],
      ['likes', 'SIMULATED', null],
      ['silent', 'UNDELIVERABLE', 'UNSUBSCRIBED'],
    ]);
    const { results } = await messaging.call(messages.list, { traceId: id });
    expect(results).toHaveLength(3);
    for (const one of results) expect(one).toMatchObject({ listId: 'loud', listMessageId: id });
  });

  it('of a pattern reaches a user of several lists once, through the first list', async () => {
    storeProfiles(['both', 'one']);
    messaging.members.subscribe('shop.a', ['both']);
    messaging.members.subscribe('shop.b', ['both', 'one']);
    const id = await send([{ kind: 'pattern', pattern: 'shop.*' }]);

    expect(await expanded(id, 2)).toMatchObject([
      { recipient: 'both', list_id: 'shop.a' },
      { recipient: 'one', list_id: 'shop.b' },
    ]);
  });

  it('of an audience leaves out users that are not members of the filtered tenants', async () => {
    storeProfiles(['in', 'out']);
    messaging.members.audiences.set('buyers', ['in', 'out']);
    messaging.members.tenants.set('acme', [{ user_id: 'in', tenant_id: 'acme' }]);
    const filters = [{ operator: 'MEMBER_OF' as const, path: 'account_id' as const, value: 'acme' }];
    const id = await send([{ kind: 'audience', audienceId: 'buyers', filters }]);

    expect(await expanded(id, 1)).toMatchObject([{ recipient: 'in' }]);
  });

  it('of a tenant with its children uses the tenant of each member, and reaches a member of several once', async () => {
    storeProfiles(['boss', 'clerk', 'both']);
    messaging.members.tenants.set('parent', [
      { user_id: 'boss', tenant_id: 'parent' },
      { user_id: 'both', tenant_id: 'parent' },
      { user_id: 'both', tenant_id: 'child' },
      { user_id: 'clerk', tenant_id: 'child' },
    ]);
    const id = await send([{ kind: 'tenant', tenantId: 'parent', includeChildren: true }]);

    expect(await expanded(id, 3)).toMatchObject([
      { recipient: 'boss', tenant_id: 'parent' },
      { recipient: 'both', tenant_id: 'parent' },
      { recipient: 'clerk', tenant_id: 'child' },
    ]);
  });

  it('stops when its list is deleted during the expansion', async () => {
    subscribed('short-lived', 3 * PAGE_SIZE);
    messaging.members.onPage = (cursor) => {
      if (cursor === String(PAGE_SIZE)) messaging.members.lists.delete('short-lived');
    };
    const id = await send([{ kind: 'list', listId: 'short-lived' }]);

    expect(await expanded(id, PAGE_SIZE)).toHaveLength(PAGE_SIZE);
    await expect(retryWhileUnavailable(() => messaging.call(messages.retrieve, { message_id: id }))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('waits while the members are unavailable, and then reaches all of them', async () => {
    const users = subscribed('unavailable', 2 * PAGE_SIZE + 1);
    messaging.members.onPage = () => {
      messaging.members.isUnavailable = messaging.members.requestedPages >= 2 && messaging.members.requestedPages < 4;
    };
    const id = await send([{ kind: 'list', listId: 'unavailable' }]);

    const rows = await expanded(id, users.length);

    expect(rows.map(({ recipient }) => recipient)).toEqual(users);
    expect(messaging.members.requestedPages).toBeGreaterThan(3);
  });

  it('resumes after a restart, and sends no recipient a second message', async () => {
    const users = subscribed('resumed', 4 * PAGE_SIZE);
    const [duringPage, resume] = [latch(), latch()];
    messaging.members.onPage = () => {
      messaging.members.isUnavailable = messaging.members.requestedPages > 3; // no further page before the stop
      if (messaging.members.requestedPages !== 3) return undefined;
      duringPage.open();
      return resume.opened;
    };
    const id = await send([{ kind: 'list', listId: 'resumed' }], { mode: 'production' });
    await duringPage.opened;
    const stopped = messaging.stop();
    resume.open();
    await stopped;
    const before = (await derived(id)).length;
    messaging.members.onPage = () => undefined;
    messaging.members.isUnavailable = false;
    await messaging.start();

    const rows = await expanded(id, users.length);

    expect(before).toBe(3 * PAGE_SIZE); // the page in progress was finished
    expect(rows.map(({ recipient }) => recipient)).toEqual(users);
    for (const one of users.filter((_, n) => n % PAGE_SIZE === 0)) {
      expect(await messaging.smtp.waitForMailsTo(`${one}@example.com`)).toHaveLength(1);
    }
  });

  it('loads a page once even when processing takes long: the lease is renewed', async () => {
    await messaging.stop();
    await messaging.start('', { workTimes: RENEWING_OFTEN });
    const users = subscribed('thorough', 3);
    const processEach = Processor.prototype.processEach;
    jest.spyOn(Processor.prototype, 'processEach').mockImplementation(async function (this: Processor, works) {
      for (let times = 0; times < RENEWALS; times += 1) await leaseRenewed(messaging, 'expansions');
      return processEach.call(this, works);
    });
    const id = await send([{ kind: 'list', listId: 'thorough' }]);

    await expanded(id, users.length);

    expect(messaging.members.requestedPages).toBe(1);
  });

  it('of a large request creates few messages per page, for a list and for an array', async () => {
    subscribed('fat', 12);
    const queries = jest.spyOn(Database.prototype, 'query');
    const large = { data: { large: 'x'.repeat(2_000_000) } };

    const list = await send([{ kind: 'list', listId: 'fat' }], large);
    const array = await send(
      named('slim', 12).map((one) => user(one)),
      large,
    );

    expect(await expanded(list, 12)).toHaveLength(12);
    await waitUntil(async () => (await derived(array)).length === 12, { what: '12 messages', timeoutMs: 90_000 });
    const lengths = queries.mock.calls.map(([, values]) => JSON.stringify(values ?? []).length);
    expect(Math.max(...lengths)).toBeLessThan(2 * PAGE_BYTES_MAX); // statement values are JSON within JSON
  });

  it('of several requests in a batch creates no larger statements than one request', async () => {
    const queries = jest.spyOn(Database.prototype, 'query');
    const users = named('batch', 10).map((one) => user(one));
    const requests = Array.from({ length: 8 }, () => messaging.request({ targets: users, data: { large: 'x'.repeat(300_000) } }));

    await messaging.append(...requests);

    for (const { id } of requests)
      await waitUntil(async () => (await derived(id)).length === 10, { what: '10 messages', timeoutMs: 90_000 });
    const lengths = queries.mock.calls.map(([, values]) => JSON.stringify(values ?? []).length);
    expect(Math.max(...lengths)).toBeLessThan(2 * PAGE_BYTES_MAX);
  });

  it('reaches each recipient once although a second process claims it while the first still works', async () => {
    const users = subscribed('contested', 3 * PAGE_SIZE);
    const [duringPage, resume] = [latch(), latch()];
    messaging.members.onPage = () => {
      if (messaging.members.requestedPages !== 2) return undefined;
      duringPage.open();
      return resume.opened;
    };
    const id = await send([{ kind: 'list', listId: 'contested' }]);
    await duringPage.opened;
    // The first process is stuck in the second page; its lease ran out, and another process claimed the request and died.
    await messaging.rows(`update messaging.expansions set due_at = now(), turn = turn + 1 where request_id = $1`, [messageIdToUuid(id)]);
    const other = await messaging.replica();
    try {
      await expanded(id, users.length);
      resume.open();
      await waitUntil(async () => (await derived(id)).length === users.length);
    } finally {
      resume.open();
      await other.stop();
    }
    await messaging.stop(); // waits for the late page
    expect((await derived(id)).map(({ recipient }) => recipient)).toEqual(users);
    const history = await messaging.rows(
      `select message_id from messaging.history join messaging.messages on messages.id = history.message_id
       where request_id = $1 group by message_id having count(*) <> 1`,
      [messageIdToUuid(id)],
    );
    expect(history).toEqual([]);
    await messaging.start();
  });

  it('reaches the other recipients of a page although one message cannot be processed', async () => {
    const users = subscribed('unlucky', 5);
    const here = Renderer.prototype.here;
    jest.spyOn(Renderer.prototype, 'here').mockImplementation(function (this: Renderer, one) {
      if (JSON.stringify(one.input).includes('Bad luck')) throw new TypeError('unexpected');
      return here.call(this, one);
    });
    const id = await send([{ kind: 'list', listId: 'unlucky' }, user('jinxed', { data: { name: 'Bad luck' } })]);

    const rows = await expanded(id, users.length + 1);

    expect(rows.filter(({ status }) => status === 'SIMULATED')).toHaveLength(users.length);
    expect(rows.filter(({ status }) => status === 'UNDELIVERABLE')).toMatchObject([{ recipient: 'jinxed', reason: 'FAILED' }]);
  });

  it('does not delay other sends', async () => {
    const users = subscribed('crowd', 3 * PAGE_SIZE);
    const [duringPage, resume] = [latch(), latch()];
    messaging.members.onPage = () => {
      if (messaging.members.requestedPages !== 2) return undefined;
      duringPage.open();
      return resume.opened;
    };
    const id = await send([{ kind: 'list', listId: 'crowd' }]);
    await duringPage.opened;

    try {
      const [single] = await messaging.send({ mode: 'test' });
      await messaging.waitForStatus(single!, 'SIMULATED');
      expect(await derived(id)).toHaveLength(PAGE_SIZE);
    } finally {
      resume.open();
    }

    expect(await expanded(id, users.length)).toHaveLength(users.length);
  });

  describe('whose lease a process has lost', () => {
    const settle = jest.fn(() => Promise.resolve());

    afterEach(() => messaging.rows('delete from messaging.expansions'));

    it.each<[string, (expansions: Expansions, expansion: Expansion) => Promise<unknown>]>([
      ['called and stored', (expansions, expansion) => expansions.during(expansion, async (hold) => Number(await hold()))],
      ['advanced', (expansions, expansion) => expansions.advance(expansion, { target: 1, found: 0 }, HOUR_MS)],
      ['advanced and settled', (expansions, expansion) => expansions.advance(expansion, { target: 1, found: 0 }, HOUR_MS, settle)],
      ['renewed', (expansions, { request_id: id, generation }) => expansions.renew([{ id, generation }])],
      ['closed', (expansions, expansion) => expansions.close(expansion)],
      ['closed and settled', (expansions, expansion) => expansions.close(expansion, settle)],
    ])('is not %s by that process, only by the one with the current generation', async (_, act) => {
      const request = messaging.request({ targets: [{ kind: 'list', listId: 'empty' }] });
      const row = { workspace_id: messaging.workspaceId, lane: 2, request_id: messageIdToUuid(request.id)!, generation: 2 };
      const fields = { ...row, request, progress: { target: 0, found: 0 } };
      const expansion: Expansion = { ...fields, orphaned: false };
      // Due so late that the service does not claim it.
      await messaging.rows(
        `insert into messaging.expansions (workspace_id, lane, request_id, turn, due_at, request, progress)
         values ($1, $2, $3, $4, now() + interval '1 hour', $5, $6)`,
        Object.values(fields),
      );
      const state = async () => [await messaging.rows('select * from messaging.expansions'), settle.mock.calls.length];
      const expansions = new Expansions(messaging.get<Database>(Database));
      const before = await state();

      const late = await act(expansions, { ...expansion, generation: 1 });
      expect(await state()).toEqual(before);

      const current = await act(expansions, expansion);
      if (current === undefined) expect(await state()).not.toEqual(before);
      else expect([late, current]).toEqual([0, 1]);
    });
  });
});
