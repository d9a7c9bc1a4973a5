import { randomUUID } from 'node:crypto';
import type { ListMessages } from '@tidings/contracts/messaging/messages';
import { messages } from '@tidings/contracts/messaging/messages';
import { newMessageId } from '@tidings/contracts/messaging/message-id';
import { Messaging } from '../testing/start-messaging';
import { MESSAGES_PAGE_SIZE } from './list-messages';

const HOUR_MS = 3_600_000;

describe('the list of messages', () => {
  let messaging: Messaging;
  let ids: Record<'old' | 'tagged' | 'traced' | 'refused' | 'unroutable', string>;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
    messaging.smtp.treat('refused@example.com', { refuse: true });
    const hourAgo = Date.now() - HOUR_MS;
    const [old, tagged, traced, refused, unroutable] = await messaging.send(
      { id: newMessageId(hourAgo), requestedAt: hourAgo, recipient: 'grace' },
      { tags: ['orders', 'vip'], event: 'shipped' },
      { traceId: 'trace-7', tags: ['other'] },
      { recipient: 'refused@example.com', profile: { email: 'refused@example.com' } },
      { recipient: 'without-address', profile: {} },
    );
    ids = { old: old!, tagged: tagged!, traced: traced!, refused: refused!, unroutable: unroutable! };
    await messaging.waitForStatus(ids.traced, 'DELIVERED');
    await messaging.waitForStatus(ids.refused, 'UNDELIVERABLE');
    await messaging.waitForStatus(ids.old, 'DELIVERED');
    await messaging.waitForStatus(ids.tagged, 'DELIVERED');
    await messaging.waitForStatus(ids.unroutable, 'UNROUTABLE');
  });

  afterAll(() => messaging.end());

  async function list(request: ListMessages): Promise<string[]> {
    const { results } = await messaging.call(messages.list, request);
    return results.map(({ id }) => id);
  }

  it('shows the newest first', async () => {
    expect(await list({})).toEqual([ids.unroutable, ids.refused, ids.traced, ids.tagged, ids.old]);
  });

  it.each<[string, () => ListMessages, (keyof typeof ids)[]]>([
    ['recipient', () => ({ recipient: 'grace' }), ['old']],
    ['event', () => ({ event: 'shipped' }), ['tagged']],
    ['one status', () => ({ status: ['UNDELIVERABLE'] }), ['refused']],
    ['several statuses', () => ({ status: ['UNDELIVERABLE', 'UNROUTABLE'] }), ['unroutable', 'refused']],
    ['any of several tags', () => ({ tags: ['vip', 'other'] }), ['traced', 'tagged']],
    ['tag and tags together', () => ({ tags: ['vip'], tag: ['other'] }), ['traced', 'tagged']],
    ['an unused tag', () => ({ tags: ['none'] }), []],
    ['trace id', () => ({ traceId: 'trace-7' }), ['traced']],
    ['request id as trace id', () => ({ traceId: ids.old }), ['old']],
    ['message id', () => ({ messageId: ids.refused }), ['refused']],
    ['an invalid message id', () => ({ messageId: 'x' }), []],
    ['provider', () => ({ provider: ['smtp'] }), ['refused', 'traced', 'tagged', 'old']],
    ['another provider', () => ({ provider: ['http'] }), []],
    ['ms since the epoch', () => ({ enqueued_after: String(Date.now() - HOUR_MS / 2) }), ['unroutable', 'refused', 'traced', 'tagged']],
    [
      'an ISO date',
      () => ({ enqueued_after: new Date(Date.now() - HOUR_MS / 2).toISOString() }),
      ['unroutable', 'refused', 'traced', 'tagged'],
    ],
    ['list', () => ({ list: 'some.list' }), []],
    ['notification', () => ({ notification: 'WELCOME' }), []],
    ['several filters at once', () => ({ recipient: 'ada', tags: ['vip'], status: ['DELIVERED'] }), ['tagged']],
  ])('filters by %s', async (_filter, request, expected) => {
    expect(await list(request())).toEqual(expected.map((name) => ids[name]));
  });

  it('filters by the alias of a template as by its id; other names stay as they are', async () => {
    const content = { version: '2022-01-01' as const, elements: [] };
    messaging.content.publish('welcome', content, { notification_id: 'nt_welcome', alias: 'welcome', matched: 'alias' });
    messaging.content.publish('shipped', content, { notification_id: 'nt_welcome', alias: 'welcome', matched: 'event' });
    await messaging.rows(`update messaging.messages set notification = 'nt_welcome' where recipient = 'grace'`);

    for (const notification of ['welcome', 'nt_welcome']) expect(await list({ notification })).toEqual([ids.old]);
    for (const notification of ['shipped', 'unknown', '']) expect(await list({ notification })).toEqual([]);

    messaging.content.isUnavailable = true;
    await expect(list({ notification: 'another' })).rejects.toMatchObject({ code: 'unavailable' });
    await expect(list({ notification: 'nt_3Xo0aB1dQkS9fT2uVw5z' })).resolves.toEqual([]);
    messaging.content.isUnavailable = false;
  });

  it('hides archived messages unless the request includes them', async () => {
    await messaging.rows('update messaging.messages set archived = true where recipient = $1', ['grace']);
    expect(await list({ recipient: 'grace' })).toEqual([]);
    expect(await list({ recipient: 'grace', archived: true })).toEqual([ids.old]);
    await messaging.rows('update messaging.messages set archived = false');
  });

  it('refuses an invalid instant and an invalid cursor', async () => {
    await expect(list({ enqueued_after: 'yesterday' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('yesterday') as string,
    });
    await expect(list({ cursor: 'bm90LWEtY3Vyc29y' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('shows nothing of another workspace', async () => {
    const { results, paging } = await messaging.call(messages.list, {}, { ...messaging.context, workspaceId: randomUUID() });
    expect(results).toEqual([]);
    expect(paging).toEqual({ more: false });
  });

  it('refuses a cursor of another workspace; its own continues with other filters too', async () => {
    const many = await messaging.send(...Array.from({ length: MESSAGES_PAGE_SIZE + 1 }, () => ({ recipient: 'cursor' })));
    for (const id of many) await messaging.waitForStatus(id, 'DELIVERED');
    const { cursor } = (await messaging.call(messages.list, { recipient: 'cursor' })).paging;
    const another = { ...messaging.context, workspaceId: randomUUID() };

    await expect(messaging.call(messages.list, { cursor }, another)).rejects.toMatchObject({
      code: 'invalid_request',
      message: `cursor "${cursor}" is not valid`,
    });
    expect(await list({ cursor, recipient: 'grace' })).toEqual([ids.old]);
  });

  it('has pages of the size that the caller chooses', async () => {
    const count = MESSAGES_PAGE_SIZE + 2;
    const many = await messaging.send(...Array.from({ length: count }, () => ({ recipient: 'limit' })));
    for (const id of many) await messaging.waitForStatus(id, 'DELIVERED');

    const first = await messaging.call(messages.list, { recipient: 'limit', limit: count - 1 });
    const { cursor } = first.paging;
    const rest = await messaging.call(messages.list, { recipient: 'limit', limit: 100, cursor });

    expect([first.results.length, first.paging.more]).toEqual([count - 1, true]);
    expect([rest.results.length, rest.paging.more]).toEqual([1, false]);
    for (const limit of [0, 101]) await expect(messaging.call(messages.list, { limit })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('lists every message once over the pages, also while messages arrive', async () => {
    const more = await messaging.send(...Array.from({ length: 2 * MESSAGES_PAGE_SIZE + 3 }, () => ({ recipient: 'page' })));
    for (const id of more) await messaging.waitForStatus(id, 'DELIVERED');
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await messaging.call(messages.list, { recipient: 'page', ...(cursor && { cursor }) });
      seen.push(...page.results.map(({ id }) => id));
      expect(page.paging.more).toBe(page.paging.cursor !== undefined);
      cursor = page.paging.cursor;
      const [late] = await messaging.send({ recipient: 'page' });
      await messaging.waitForStatus(late!, 'DELIVERED');
    } while (cursor);
    expect(seen).toEqual([...more].reverse());
  });
});
