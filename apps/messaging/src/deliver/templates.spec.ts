import { randomUUID } from 'node:crypto';
import { messages } from '@tidings/contracts/messaging/messages';
import { waitUntil } from '@tidings/testing/wait-until';
import { ContentChanges } from '../context/content-loader';
import { retryWhileUnavailable } from '../testing/retry-while-unavailable';
import { Messaging } from '../testing/start-messaging';

describe('a send with a template', () => {
  let messaging: Messaging;
  const elemental = (title: string, content: string) => ({
    version: '2022-01-01',
    elements: [
      { type: 'meta' as const, title },
      { type: 'text' as const, content },
    ],
  });

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
  });
  afterAll(() => messaging.end());

  const send = async (to: string, overrides: Parameters<Messaging['request']>[0]): Promise<string> => {
    const [id] = await messaging.send({ content: undefined, profile: { email: to }, ...overrides });
    return id!;
  };
  const record = (id: string) => messaging.call(messages.retrieve, { message_id: id });

  it('has the content of the published version, and its history names the template', async () => {
    messaging.content.publish('nt_shipped', elemental('Shipped: {{order}}', 'Hello {{profile.name}}'), {
      matched: 'event',
      tags: ['shop'],
      email: { from: 'Shop <shop@example.com>', reply_to: 'help@example.com' },
    });
    messaging.content.templates.set('order-shipped', messaging.content.templates.get('nt_shipped')!);
    const profile = { email: 'mapped@example.com', name: 'Ada' };
    const id = await send('', { template: 'order-shipped', event: 'order-shipped', profile, tags: ['orders'] });

    const [mail] = await messaging.smtp.waitForMailsTo('mapped@example.com');
    await messaging.waitForStatus(id, 'DELIVERED');
    expect(await mail!.parse()).toMatchObject({ subject: 'Shipped: A-17', text: expect.stringContaining('Hello Ada') as string });
    expect((await mail!.parse()).from).toMatchObject({ name: 'Shop', address: 'shop@example.com' });
    expect(await messaging.historyTypes(id)).toEqual([
      'ENQUEUED',
      'MAPPED',
      'PROFILE_LOADED',
      'ROUTED',
      'RENDERED',
      'DELIVERING',
      'SENT',
      'DELIVERED',
    ]);
    const { results: mapped } = await messaging.call(messages.history, { message_id: id, type: 'MAPPED' });
    expect(mapped).toMatchObject([{ event_id: 'order-shipped', notification_id: 'nt_shipped' }]);
    expect(await record(id)).toMatchObject({ event: 'order-shipped', notification: 'nt_shipped', tags: ['orders', 'shop'] });
  });

  it('shows the rendered content', async () => {
    const { version, elements } = elemental('Title', 'Body');
    const action = { type: 'action' as const, content: 'Go', href: 'https://example.com/go' };
    messaging.content.publish('nt_shown', { version, elements: [...elements, action] });
    const id = await send('shown@example.com', { template: 'nt_shown' });
    await messaging.waitForStatus(id, 'DELIVERED');

    const { results } = await messaging.call(messages.output, { message_id: id });
    expect(results).toEqual([
      {
        channel: 'email',
        channel_id: 'email',
        content: {
          subject: 'Title',
          title: 'Title',
          html: expect.stringContaining('Body') as string,
          text: expect.stringContaining('Body') as string,
          body: expect.stringContaining('Body') as string,
          blocks: [
            { type: 'text', text: 'Body' },
            { type: 'action', text: 'Go', url: 'https://example.com/go' },
          ],
        },
      },
    ]);
  });

  it('links from its history to the parts of the rendered content', async () => {
    messaging.content.publish('nt_parts', elemental('A title', 'A body'));
    const id = await send('parts@example.com', { template: 'nt_parts' });
    await messaging.waitForStatus(id, 'DELIVERED');

    const { results } = await messaging.call(messages.history, { message_id: id, type: 'RENDERED' });
    const output = results[0]!.output as Record<string, string>;
    const parts = await Promise.all(
      Object.entries(output).map(async ([name, address]) => {
        const [, message_id, render_id, part] = /^\/messages\/(.+)\/output\/(\d+)\/(\w+)$/.exec(address)!;
        expect(part).toBe(name);
        return messaging.call(messages.part, { message_id: message_id!, render_id: render_id!, part: part as 'html' });
      }),
    );
    const text = expect.stringContaining('A body') as string;
    expect(parts).toEqual([
      { text, media_type: 'text/html' },
      { text: 'A title', media_type: 'text/plain' },
      { text, media_type: 'text/plain' },
      { text: 'A title', media_type: 'text/plain' },
      { text, media_type: 'text/plain' },
      { text: JSON.stringify([{ type: 'text', text: 'A body' }]), media_type: 'application/json' },
    ]);
    const stranger = { ...messaging.context, workspaceId: randomUUID() };
    const foreignPart = { message_id: id, render_id: '5', part: 'html' } as const;
    await expect(retryWhileUnavailable(() => messaging.call(messages.part, foreignPart, stranger))).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(messaging.call(messages.part, { ...foreignPart, render_id: '1' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that requires its variables fails a channel without one, before its provider is called', async () => {
    messaging.content.publish('nt_strict', elemental('Order {order}', 'For {profile.company}'), { throw_on_missing_variable: true });
    const error = 'Variable not found: profile.company';
    const id = await send('strict@example.com', { template: 'nt_strict' });
    const complete = await send('', { template: 'nt_strict', profile: { email: 'complete@example.com', company: 'Acme' } });
    await messaging.waitForStatus(id, 'UNDELIVERABLE');
    await messaging.waitForStatus(complete, 'DELIVERED');

    expect(await record(id)).toMatchObject({ reason: 'FAILED', error, providers: [{ status: 'UNDELIVERABLE', error }] });
    const { results } = await messaging.call(messages.history, { message_id: id });
    expect(results.slice(-2)).toMatchObject([
      { type: 'ROUTED' },
      { type: 'UNDELIVERABLE', channel: { id: 'email' }, reason: 'FAILED', error_message: error },
    ]);
    expect(messaging.smtp.mailsTo('strict@example.com')).toHaveLength(0);
  });

  it('that does not exist is UNMAPPED', async () => {
    const id = await send('unmapped@example.com', { template: 'no-such-template', event: 'no-such-template' });
    await messaging.waitForStatus(id, 'UNMAPPED');
    const error = 'No notification template "no-such-template" exists, nor an event mapping from "no-such-template" to an existing one';
    expect(await record(id)).toMatchObject({ notification: '', error });
    const { results } = await messaging.call(messages.history, { message_id: id });
    expect(results).toMatchObject([{ type: 'ENQUEUED' }, { type: 'UNMAPPED', event_id: 'no-such-template', error_message: error }]);
  });

  it('finds a template that was only just published, before its change event arrives', async () => {
    const unmapped = await send('early@example.com', { template: 'nt_new' });
    await messaging.waitForStatus(unmapped, 'UNMAPPED');
    messaging.content.publish('nt_new', null, { published: false, version: null });
    const unpublished = await send('early@example.com', { template: 'nt_new' });
    await messaging.waitForStatus(unpublished, 'UNROUTABLE');

    messaging.content.publish('nt_new', elemental('New', 'Published now'));
    const id = await send('early@example.com', { template: 'nt_new' });
    await messaging.waitForStatus(id, 'DELIVERED');
  });

  it('that is not published ends its message also while content is unavailable, without delaying others', async () => {
    messaging.content.publish('nt_cached', elemental('Cached', 'Loaded by now'));
    messaging.content.publish('nt_unpublished', null, { published: false, version: null });
    for (const [template, status] of [
      ['nt_cached', 'DELIVERED'],
      ['nt_unpublished', 'UNROUTABLE'],
    ] as const)
      await messaging.waitForStatus(await send('cached@example.com', { template }), status);

    messaging.content.isUnavailable = true;
    try {
      const ids = await messaging.send(
        ...['nt_unpublished', 'nt_cached'].map((template) => ({
          recipient: 'cached@example.com',
          profile: { email: 'cached@example.com' },
          template,
        })),
      );
      await messaging.waitForStatus(ids[0]!, 'UNROUTABLE');
      await messaging.waitForStatus(ids[1]!, 'DELIVERED');
    } finally {
      messaging.content.isUnavailable = false;
    }
  });

  it('that was never published is UNROUTABLE', async () => {
    messaging.content.publish('nt_draft', null, { published: false, version: null });
    const id = await send('draft@example.com', { template: 'nt_draft' });
    await messaging.waitForStatus(id, 'UNROUTABLE');
    expect(await record(id)).toMatchObject({ reason: 'UNPUBLISHED', notification: 'nt_draft' });
  });

  it('without e-mail content, or routed to another channel, is UNROUTABLE', async () => {
    const elements = [{ type: 'channel' as const, channel: 'sms', elements: [{ type: 'text' as const, content: 'Hi' }] }];
    messaging.content.publish('nt_sms', { version: '2022-01-01', elements });
    messaging.content.publish('nt_routed', elemental('T', 'B'), { routing: { method: 'single', channels: ['sms'] } });
    for (const [template, reason] of [
      ['nt_sms', 'NO_CHANNELS'],
      ['nt_routed', 'NO_PROVIDERS'],
    ]) {
      const id = await send('sms@example.com', { template });
      await messaging.waitForStatus(id, 'UNROUTABLE');
      expect(await record(id)).toMatchObject({ reason });
    }
  });

  it('uses the snippets of the brand', async () => {
    const snippets = [{ name: 'sign', value: 'Yours, {{brand.name}}' }];
    messaging.content.brands.set('signed', { id: 'signed', name: 'Acme', version: '1', settings: {}, snippets });
    messaging.content.publish('nt_signed', elemental('T', '{{> sign}}'), { brand: 'signed' });
    await send('signed@example.com', { template: 'nt_signed' });
    const [mail] = await messaging.smtp.waitForMailsTo('signed@example.com');
    expect(await mail!.parse()).toMatchObject({ text: expect.stringContaining('Yours, Acme') as string });
  });

  it('is translated to the recipient’s language with its brand', async () => {
    messaging.content.translations.set(
      'fr_FR',
      'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Hello"\nmsgstr "Bonjour"\n',
    );
    const settings = { email: { footer: { markdown: 'Sent by Acme' } } };
    messaging.content.brands.set('acme', { id: 'acme', name: 'Acme', version: '1', settings, snippets: [] });
    messaging.content.publish('nt_french', elemental('{{t "Hello"}}', '{{t "Hello"}} {{profile.name}}'), { brand: 'acme' });
    await send('', { template: 'nt_french', profile: { email: 'fr@example.com', name: 'Ada', locale: 'fr_FR' } });

    const [mail] = await messaging.smtp.waitForMailsTo('fr@example.com');
    const parsed = await mail!.parse();
    expect(parsed).toMatchObject({ subject: 'Bonjour', text: expect.stringContaining('Bonjour Ada') as string });
    expect(parsed.html).toContain('Sent by Acme');
  });

  it('uses a new version as soon as its change event arrives, and the cache until then', async () => {
    messaging.content.publish('nt_changing', elemental('Before', 'x'));
    const first = await send('change@example.com', { template: 'nt_changing' });
    await messaging.waitForStatus(first, 'DELIVERED');
    const loadsBefore = messaging.content.callCount;
    const again = await send('change@example.com', { template: 'nt_changing' });
    await messaging.waitForStatus(again, 'DELIVERED');
    expect(messaging.content.callCount).toBe(loadsBefore);

    messaging.content.publish('nt_changing', elemental('After', 'x'), { version: 'later' });
    const changed: string[] = [];
    messaging.get<ContentChanges>(ContentChanges).onChange(({ payload }) => changed.push(payload!.id));
    await messaging.content.publishChange(messaging.log, messaging.workspaceId, 'template', 'nt_changing');
    await waitUntil(() => changed.includes('nt_changing'), { what: 'the change event' });
    await send('changed@example.com', { template: 'nt_changing' });
    const [mail] = await messaging.smtp.waitForMailsTo('changed@example.com');
    expect(await mail!.parse()).toMatchObject({ subject: 'After' });
  });

  it('waits while content is unavailable, and is delivered afterwards', async () => {
    messaging.content.publish('nt_unavailable', elemental('Back', 'x'));
    messaging.content.isUnavailable = true;
    const loadsBefore = messaging.content.callCount;
    const id = await send('unavailable@example.com', { template: 'nt_unavailable' });
    await waitUntil(() => messaging.content.callCount >= loadsBefore + 2, { what: 'the router to retry' });
    messaging.content.isUnavailable = false;
    await messaging.waitForStatus(id, 'DELIVERED');
  });

  it('that cannot be rendered ends UNDELIVERABLE with the cause', async () => {
    messaging.content.publish('nt_broken', elemental('T', '{{divide 1 0}}'));
    const id = await send('broken@example.com', { template: 'nt_broken' });
    await messaging.waitForStatus(id, 'UNDELIVERABLE');
    expect(await record(id)).toMatchObject({ reason: 'FAILED', error: expect.stringContaining('divide') as string });
  });

  it('that exceeds the rendering time delays no other message, and ends with the reason', async () => {
    const items = Array.from({ length: 3_000 }, (_, index) => index);
    messaging.content.publish(
      'nt_monster',
      elemental('T', '{{#each data.items}}{{#each ../data.items}}{{set "x" @index}}{{/each}}{{/each}}'),
    );
    const monsters = await messaging.send(
      ...Array.from({ length: 10 }, () => ({
        content: undefined,
        template: 'nt_monster',
        data: { items },
        profile: { email: 'm@example.com' },
      })),
    );
    const [small] = await messaging.send({ profile: { email: 'small@example.com' } });
    await messaging.waitForStatus(small!, 'DELIVERED');

    for (const id of monsters) await messaging.waitForStatus(id, 'UNDELIVERABLE');
    expect(await record(monsters[0]!)).toMatchObject({ reason: 'FAILED', error: expect.stringContaining('render_timeout') as string });
    expect(await messaging.rows('select from messaging.open_messages')).toEqual([]);
  });

  it('that is large is rendered on a pool thread, and arrives', async () => {
    messaging.content.publish('nt_large', elemental('Large', 'Many words. '.repeat(5_000)));
    const id = await send('large@example.com', { template: 'nt_large' });
    const [mail] = await messaging.smtp.waitForMailsTo('large@example.com');
    expect(await mail!.parse()).toMatchObject({ subject: 'Large' });
    await messaging.waitForStatus(id, 'DELIVERED');
  });
});
