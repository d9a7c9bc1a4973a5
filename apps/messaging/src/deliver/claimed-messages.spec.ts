import '@tidings/testing/quiet';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { messages } from '@tidings/contracts/messaging/messages';
import { providers } from '@tidings/contracts/messaging/providers';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { OpenMessages } from '../record/open-store';
import { ContentChanges } from '../context/content-loader';
import { leaseRenewed, RENEWALS } from '../testing/lease-renewed';
import { makeDue, untilMadeDue } from '../testing/make-due';
import { Messaging, RENEWING_OFTEN } from '../testing/start-messaging';
import { storeMessages } from '../testing/stored-messages';
import { Renderer } from './renderer';

const SECRET = 'a secret of some length';
const PROFILE = { email: 'ada@example.com', phone_number: '+4915123456789' };
const CONTENT = {
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: 'Hello' },
    { type: 'text', content: 'World' },
  ],
} as const;

describe('a claimed open message', () => {
  let messaging: Messaging;
  let first: CapturingHttp;
  let second: CapturingHttp;
  /** The latch of `blockClaims`; opened after each test. */
  let claims = latch();

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start('', { workTimes: RENEWING_OFTEN });
    [first, second] = [await CapturingHttp.start(), await CapturingHttp.start()];
    for (const [alias, { url }] of Object.entries({ first, second })) {
      await messaging.call(providers.create, { provider: 'http', alias, settings: { channel: 'sms', url, secret: SECRET } });
    }
  });

  beforeEach(() => {
    for (const receiver of [first, second]) {
      receiver.received.length = 0;
      receiver.answer(200, { id: 'accepted' });
    }
  });

  afterEach(() => {
    claims.open();
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await messaging.end();
    await first.stop();
    await second.stop();
  });

  const send = async (request: Parameters<Messaging['request']>[0]): Promise<string> =>
    (await messaging.send({ profile: PROFILE, ...request }))[0]!;
  const record = (id: string) => messaging.call(messages.retrieve, { message_id: id });
  const ended = async (id: string) => (await record(id)).providers!.filter(({ status }) => status !== undefined);
  const isOpen = async (id: string): Promise<boolean> =>
    (await messaging.rows('select from messaging.open_messages where message_id = $1', [messageIdToUuid(id)])).length > 0;
  const closed = (id: string) => waitUntil(async () => !(await isOpen(id)), { what: `${id} to be closed` });
  /** No open message is claimed until the returned function is called. */
  const blockClaims = (): (() => void) => {
    claims = latch();
    const { opened: passed, open } = claims;
    const { claim: take } = OpenMessages.prototype;
    jest.spyOn(OpenMessages.prototype, 'claim').mockImplementation(async function (this: OpenMessages, limit) {
      await passed;
      return take.call(this, limit);
    });
    return open;
  };
  const renderApart = () => jest.spyOn(Renderer.prototype, 'here').mockImplementation(() => 'too large');

  it('rendered on a pool thread records its profiles', async () => {
    renderApart();
    messaging.profiles.stored.set('apart', { email: 'stored@example.com', name: 'Stored' });
    const id = await send({ userId: 'apart', profile: { email: 'given@example.com' } });

    await messaging.waitForStatus(id, 'DELIVERED');

    const { results } = await messaging.call(messages.history, { message_id: id, type: 'PROFILE_LOADED' });
    expect(results).toMatchObject([
      {
        stored_profile: { email: 'stored@example.com', name: 'Stored' },
        received_profile: { email: 'given@example.com' },
        merged_profile: { email: 'given@example.com', name: 'Stored' },
      },
    ]);
  });

  it('rendered on a pool thread after its delay is mapped once, keeps its template, and stays DELAYED until then', async () => {
    const statuses: string[] = [];
    renderApart();
    const renderOnPool = Renderer.prototype.renderOnPool;
    jest.spyOn(Renderer.prototype, 'renderOnPool').mockImplementation(async function (this: Renderer, one) {
      const [row] = await messaging.rows<{ status: string; notification: string }>(
        `select status, notification from messaging.messages where notification = 'late'`,
      );
      statuses.push(`${row?.status}`);
      return renderOnPool.call(this, one);
    });
    messaging.content.publish('late', CONTENT as never, { tags: ['late'] });
    const id = await send({ template: 'late', event: 'late', content: undefined, tags: ['own'], delay: untilMadeDue() });
    await messaging.waitForStatus(id, 'DELAYED');
    await makeDue(messaging, [id]);

    await messaging.waitForStatus(id, 'DELIVERED');

    expect(await messaging.historyTypes(id)).toEqual([
      ...['ENQUEUED', 'MAPPED', 'DELAYED'],
      ...['PROFILE_LOADED', 'ROUTED', 'RENDERED', 'DELIVERING', 'SENT', 'DELIVERED'],
    ]);
    expect(statuses).toEqual(['DELAYED']);
    expect(await record(id)).toMatchObject({ notification: 'late', tags: ['own', 'late'] });
  });

  it('with a long rendering has its lease renewed, and is rendered once', async () => {
    renderApart();
    const renderOnPool = Renderer.prototype.renderOnPool;
    const slowRendering = jest.spyOn(Renderer.prototype, 'renderOnPool').mockImplementation(async function (this: Renderer, one) {
      for (let times = 0; times < RENEWALS; times += 1) await leaseRenewed(messaging, 'open_messages');
      return renderOnPool.call(this, one);
    });
    const id = await send({});

    await messaging.waitForStatus(id, 'DELIVERED');

    expect(slowRendering).toHaveBeenCalledTimes(1);
  });

  it('whose template was deleted waits for started leaves, and calls no provider twice', async () => {
    messaging.content.publish('deleted-later', CONTENT as never);
    first.answering = (answer) => (cut = () => void answer.destroy());
    const refusals: (() => void)[] = [];
    let cut = (): void => undefined;
    second.answering = (answer) => refusals.push(() => answer.writeHead(400).end());
    const changed: string[] = [];
    messaging.get<ContentChanges>(ContentChanges).onChange(({ payload }) => changed.push(payload!.id));
    const id = await send({
      template: 'deleted-later',
      event: 'deleted-later',
      content: undefined,
      routing: { method: 'all', channels: ['first', { method: 'single', channels: ['second', 'email'] }] },
    });
    await waitUntil(() => first.received.length > 0 && refusals.length > 0, { what: 'the first calls' });
    messaging.content.templates.delete('deleted-later');
    await messaging.content.publishChange(messaging.log, messaging.workspaceId, 'template', 'deleted-later');
    await waitUntil(() => changed.includes('deleted-later'), { what: 'the change event' });
    refusals[0]!();

    await waitUntil(async () => (await ended(id)).length === 1, { what: 'the second route to fail' });
    expect(await isOpen(id)).toBe(true);
    first.answer(200); // the call that was cut off is retried
    cut();
    await waitUntil(async () => (await record(id)).status === 'SENT', { what: 'the first route to end' });

    await closed(id);
    expect(await record(id)).toMatchObject({ notification: 'deleted-later' });
    expect(second.received).toHaveLength(1);
  });

  it('escalates the route that has a next one, whichever was sent first', async () => {
    const id = await send({
      routing: { method: 'all', channels: ['first', { method: 'single', channels: ['second', 'email'] }] },
      profile: { ...PROFILE, email: 'escalated@example.com' },
      timeouts: { criteria: 'viewed', escalationMs: 700 },
    });

    await messaging.waitForStatus(id, 'DELIVERED');

    expect([first.received.length, second.received.length]).toEqual([1, 1]);
    expect(messaging.smtp.mailsTo('escalated@example.com')).toHaveLength(1);
    await closed(id);
  });

  it('that escalates keeps the status it reached meanwhile', async () => {
    const responses: (() => void)[] = [];
    second.answering = (answer) => responses.push(() => answer.writeHead(200).end());
    const allowClaims = blockClaims();
    const id = await send({
      routing: { method: 'single', channels: ['first', 'second'] },
      timeouts: { criteria: 'engaged', escalationMs: 700 },
    });
    await messaging.waitForStatus(id, 'SENT');
    await messaging.rows(`update messaging.messages set status = 'OPENED' where id = $1`, [messageIdToUuid(id)]);
    allowClaims();

    await waitUntil(() => responses.length === 1, { what: 'the next route' });

    expect((await record(id)).status).toBe('OPENED');
    responses[0]!();
    await closed(id);
    expect((await record(id)).status).toBe('OPENED');
  });

  it('that escalates to a route without content stays SENT', async () => {
    const channels = [
      { type: 'channel', channel: 'sms', elements: [{ type: 'text', content: 'Only here' }] },
      { type: 'channel', channel: 'email', elements: [{ type: 'text', content: 'Never', if: 'false' }] },
    ];
    const allowClaims = blockClaims();
    const id = await send({
      content: { version: '2022-01-01', elements: channels } as never,
      routing: { method: 'single', channels: ['first', 'email'] },
      timeouts: { criteria: 'viewed', escalationMs: 700 },
    });

    await messaging.waitForStatus(id, 'SENT');
    expect(await isOpen(id)).toBe(true);
    allowClaims();
    await closed(id);

    expect((await record(id)).status).toBe('SENT');
    expect(await record(id)).not.toHaveProperty('error');
  });

  it('is closed once its recipient reacted', async () => {
    const id = await send({
      routing: { method: 'single', channels: ['email', 'first'] },
      timeouts: { criteria: 'delivered', escalationMs: 60_000 },
    });
    await messaging.waitForStatus(id, 'DELIVERED');
    await closed(id);
    expect(first.received).toHaveLength(0);
  });

  it('with a test key continues with the next route where the first has no content', async () => {
    const channels = [{ type: 'channel', channel: 'sms', elements: [{ type: 'text', content: 'Only here' }] }];
    const id = await send({
      mode: 'test',
      content: { version: '2022-01-01', elements: channels } as never,
      routing: { method: 'single', channels: ['email', 'first'] },
    });
    await messaging.waitForStatus(id, 'SIMULATED');
    expect((await record(id)).providers).toEqual([]);
    const { results } = await messaging.call(messages.history, { message_id: id });
    expect(results.at(-1)).toMatchObject({ type: 'SIMULATED', channel: { id: 'sms' } });
  });

  it('of an earlier version, whose history has fewer fields of the request, is delivered', async () => {
    const where = { channel: { id: 'email' }, integration: { id: 'default', provider: 'smtp' } };
    const profile = { email: 'earlier@example.com' };
    const at = Date.now();
    const history: HistoryEvent[] = [
      { ts: at, type: 'ENQUEUED', data: {}, event: '', profile, recipient: 'ada' },
      { ts: at, type: 'PROFILE_LOADED', stored_profile: {} },
      { ts: at, type: 'ROUTED', ...where },
      { ts: at, type: 'RENDERED', ...where, output: { subject: 'Earlier', html: '<p>x</p>', text: 'x' } },
    ];
    await messaging.stop();
    const [id] = await storeMessages(messaging, [{ status: 'ROUTED', history }]);
    await messaging.rows(
      `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at, since_ms)
       values ($1, 0, $2, 'email', 'smtp', 1, true, now(), $3)`,
      [messageIdToUuid(id!), messaging.workspaceId, at],
    );
    await messaging.start();

    await messaging.waitForStatus(id!, 'DELIVERED');

    expect(messaging.smtp.mailsTo('earlier@example.com')).toHaveLength(1);
    expect(await messaging.historyTypes(id!)).toEqual(expect.arrayContaining(['ENQUEUED', 'RENDERED', 'SENT', 'DELIVERED']));
  });

  it('whose e-mail follows another route and is deferred has its address', async () => {
    first.answer(400);
    for (const [email, delay] of [['behind@example.com'], ['later@example.com', untilMadeDue()]] as const) {
      messaging.smtp.treat(email, { deferFirst: 1 });
      const id = await send({ routing: { method: 'single', channels: ['first', 'email'] }, profile: { ...PROFILE, email }, delay });
      if (delay) {
        await messaging.waitForStatus(id, 'DELAYED');
        await makeDue(messaging, [id]);
      }

      await messaging.waitForStatus(id, 'DELIVERED');

      expect(messaging.smtp.mailsTo(email)).toHaveLength(1);
    }
  });

  it('has the events of all its leaves in order of time', async () => {
    const id = await send({ routing: { method: 'all', channels: ['first', 'second', 'email'] } });
    await waitUntil(async () => (await ended(id)).length === 3, { what: 'three ends' });

    const { results } = await messaging.call(messages.history, { message_id: id });
    const times = results.map(({ ts }) => ts);
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });

  it.each([
    [200, { status: 'SENT' }],
    [400, { status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR' }],
  ])('without its open state ends with the response of its provider (%i), which is not called again', async (statusCode, end) => {
    const responses: (() => void)[] = [];
    first.answering = (answer) => responses.push(() => answer.writeHead(statusCode).end());
    const id = await send({ routing: { method: 'single', channels: ['first', 'second'] } });
    await waitUntil(() => responses.length === 1, { what: 'the call' });
    await messaging.rows('delete from messaging.open_messages where message_id = $1', [messageIdToUuid(id)]);

    responses[0]!();

    await messaging.waitForStatus(id, end.status);
    expect(await record(id)).toMatchObject({ ...end, providers: [{ status: end.status }] });
    expect((await messaging.historyTypes(id)).slice(-2)).toEqual(['DELIVERING', end.status]);
    expect(await messaging.rows('select from messaging.deliveries where message_id = $1', [messageIdToUuid(id)])).toEqual([]);
    expect(await isOpen(id)).toBe(false);
    expect([first.received.length, second.received.length]).toEqual([1, 0]);
  });

  it('with inconsistent stored events ends UNDELIVERABLE with the reason', async () => {
    const id = await send({ delay: untilMadeDue() });
    await messaging.waitForStatus(id, 'DELAYED');
    await messaging.rows(`update messaging.history set events = '[]' where message_id = $1 and number = 1`, [messageIdToUuid(id)]);
    await messaging.stop();
    await messaging.rows('update messaging.open_messages set due_at = now() where message_id = $1', [messageIdToUuid(id)]);
    await messaging.start();

    await closed(id);

    expect(await record(id)).toMatchObject({
      status: 'UNDELIVERABLE',
      reason: 'FAILED',
      recipient: 'ada',
      error: 'The message could not be processed: Something went wrong on our side',
    });
  });
});
