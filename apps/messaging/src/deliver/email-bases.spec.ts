import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { messagingErasure } from '@tidings/contracts/messaging/erasure';
import { messageActions, messages } from '@tidings/contracts/messaging/messages';
import { waitUntil } from '@tidings/testing/wait-until';
import { ContentChanges } from '../context/content-loader';
import { Messaging } from '../testing/start-messaging';
import { tablesWith } from '../testing/tables-with';
import { TopicReaders } from '../testing/topic-readers';

/** Sends of a template that are stored whole before it gets a base. */
const WHOLE = 3;
const LONG = 'The parcel has everything that you ordered, and our carrier rings twice. '.repeat(8);
const settings = { email: { footer: { markdown: 'Sent by Acme' } } };

let messaging: Messaging;
let readers: TopicReaders;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start('', { publishHistory: true });
  readers = await TopicReaders.on(messaging.log);
  messaging.content.brands.set('acme', { id: 'acme', name: 'Acme', version: '1', settings, snippets: [] });
});
afterAll(() => messaging.end());

const publish = (name: string, title = 'Order {{order}}', version = 'v1'): void => {
  const elements = [
    { type: 'meta' as const, title },
    { type: 'text' as const, content: `Hello {{name}}, your order **{{order}}** was shipped. ${LONG}` },
    { type: 'action' as const, content: 'Follow {{order}}', href: 'https://example.com/{{order}}' },
  ];
  messaging.content.publish(name, { version: '2022-01-01', elements }, { brand: 'acme', version });
};
const send = async (template: string, email: string, overrides: Parameters<Messaging['request']>[0] = {}): Promise<string> => {
  const data = { name: 'Ada', order: 'A-17' };
  const [id] = await messaging.send({ content: undefined, template, profile: { email }, data, ...overrides });
  return id!;
};
const delivered = async (template: string, email: string, overrides?: Parameters<Messaging['request']>[0]): Promise<string> => {
  const id = await send(template, email, overrides);
  await messaging.waitForStatus(id, 'DELIVERED');
  return id;
};
const output = async (message_id: string) => (await messaging.call(messages.output, { message_id })).results;
const historyOf = async (message_id: string) => (await messaging.call(messages.history, { message_id })).results;
const isShort = async (id: string): Promise<boolean> => {
  const text = 'select from messaging.history where message_id = $1 and strpos(events::text, $2) > 0';
  return (await messaging.rows(text, [messageIdToUuid(id), '"difference"'])).length > 0;
};
/** Bytes of the first step. */
const bytesOf = async (id: string): Promise<number> => {
  const text = 'select octet_length(events::text) as bytes from messaging.history where message_id = $1 and number = 1';
  const [row] = await messaging.rows<{ bytes: number }>(text, [messageIdToUuid(id)]);
  return row!.bytes;
};
/** HTML of the mail as its receiver has it, with the line ends of the output. */
const received = async (email: string): Promise<string> => {
  const [mail] = await messaging.smtp.waitForMailsTo(email);
  return ((await mail!.parse()).html ?? '').replaceAll('\r\n', '\n').trim();
};
/** Sends until the template has a base; resolves with the last output that was stored whole. */
const warmUp = async (template: string): Promise<string> => {
  let id = '';
  for (let sends = 0; sends < WHOLE; sends += 1) id = await delivered(template, `${randomUUID()}@example.com`);
  expect(await isShort(id)).toBe(false);
  return id;
};
/** Changes brand and template, and waits until this is known. */
const change = async (template: string): Promise<void> => {
  const changed: string[] = [];
  messaging.get<ContentChanges>(ContentChanges).onChange(({ payload }) => changed.push(payload!.id));
  const footer = { markdown: 'Another footer' };
  messaging.content.brands.set('acme', { id: 'acme', name: 'Acme', version: '2', settings: { email: { footer } }, snippets: [] });
  publish(template, 'Changed', 'v2');
  await messaging.content.publishChange(messaging.log, messaging.workspaceId, 'brand', 'acme');
  await messaging.content.publishChange(messaging.log, messaging.workspaceId, 'template', template);
  await waitUntil(() => changed.includes(template) && changed.includes('acme'), { what: 'the change events' });
};

it('is stored as a difference, and answered as it was sent, also after changes and in another process', async () => {
  publish('nt_order');
  const whole = await warmUp('nt_order');
  const id = await delivered('nt_order', 'short@example.com');
  expect(await isShort(id)).toBe(true);
  expect(await bytesOf(id)).toBeLessThan((await bytesOf(whole)) / 2);
  const [first, history] = [await output(id), await historyOf(id)];

  expect(first).toEqual(await output(whole));
  expect(first[0]!.content.html.trim()).toBe(await received('short@example.com'));
  const typesOf = (events: typeof history) => events.map(({ type, output: parts }) => [type, Object.keys(parts ?? {})]);
  expect(typesOf(history)).toEqual(typesOf(await historyOf(whole)));

  await change('nt_order');
  await delivered('nt_order', 'changed@example.com');
  expect(await received('changed@example.com')).toContain('Another footer');
  await messaging.stop();
  await messaging.start('', { publishHistory: true });

  expect(await output(id)).toEqual(first);
  expect(await historyOf(id)).toEqual(history);
  const rendered = history.find(({ type }) => type === 'RENDERED')!.output as Record<string, string>;
  const [, message_id, render_id] = /^\/messages\/(.+)\/output\/(\d+)\/html$/.exec(rendered.html!)!;
  const part = await messaging.call(messages.part, { message_id: message_id!, render_id: render_id!, part: 'html' });
  expect(part.text).toBe(first[0]!.content.html);
  await waitUntil(() => readers.eventsOf(id).length === history.length, { what: 'the history on its topic' });
  expect(readers.eventsOf(id)).toEqual(history);
});

it('has a base without any value of its messages, and no other workspace refers to it', async () => {
  const secret = 'Marker-of-a-person';
  publish('nt_private', `For {{name}} {{profile.name}} {{recipient}} {{messageId}}`);
  for (let sends = 0; sends <= WHOLE; sends += 1) {
    const profile = { email: `${secret}@example.com`, name: secret, locale: `en_x_${secret}` };
    await delivered('nt_private', '', { profile, recipient: secret, data: { name: secret, order: secret }, event: secret });
  }
  const bases = await messaging.rows<{ workspace_id: string }>(
    `select workspace_id from messaging.rendering_bases where content like '%your order%'`,
  );
  expect(bases.length).toBeGreaterThan(0);
  expect(bases.every(({ workspace_id }) => workspace_id === messaging.workspaceId)).toBe(true);
  expect(await messaging.rows('select from messaging.rendering_bases where content ilike $1', [`%${secret}%`])).toEqual([]);
});

it('is repeated byte for byte by another process, also after brand and template changed', async () => {
  publish('nt_repeated');
  await warmUp('nt_repeated');
  const email = 'repeated@example.com';
  messaging.smtp.treat(email, { deferFirst: Infinity });
  const id = await send('nt_repeated', email);
  const arrivals = () => messaging.smtp.arrivals.filter(({ envelope }) => envelope.to.includes(email));
  await waitUntil(() => arrivals().length > 0, { what: 'an attempt' });
  await messaging.waitForStatus(id, 'ROUTED');
  expect(await isShort(id)).toBe(true);
  await change('nt_repeated');
  await messaging.stop();
  messaging.smtp.treat(email, {});
  await messaging.start('', { publishHistory: true });

  await messaging.waitForStatus(id, 'DELIVERED');

  const raws = new Set(arrivals().map(({ raw }) => raw.toString()));
  expect(arrivals().length).toBeGreaterThan(1);
  expect(raws.size).toBe(1);
});

it('can be resent, and erased', async () => {
  publish('nt_erased');
  await warmUp('nt_erased');
  const id = await delivered('nt_erased', 'erased@example.com', { recipient: 'babbage', data: { name: 'Babbage', order: 'B-1' } });
  expect(await isShort(id)).toBe(true);
  const { messageId } = await messaging.call(messageActions.resend, { message_id: id });
  await messaging.waitForStatus(messageId, 'DELIVERED');
  expect((await output(messageId))[0]!.content).toEqual((await output(id))[0]!.content);

  await waitUntil(async () => (await messaging.call(messagingErasure.erase, { user_id: 'babbage' })).done, { what: 'the erasure' });

  expect(await tablesWith(messaging, 'Babbage')).toEqual([]);
  expect(await isShort(id)).toBe(false);
  expect(await output(id)).toMatchObject([{ content: { subject: '', html: '' } }]);
});

it('ends with the reason where its stored difference is inconsistent', async () => {
  publish('nt_broken');
  await warmUp('nt_broken');
  const email = 'broken@example.com';
  messaging.smtp.treat(email, { deferFirst: Infinity });
  const id = await send('nt_broken', email);
  await waitUntil(() => messaging.smtp.arrivals.some(({ envelope }) => envelope.to.includes(email)), { what: 'an attempt' });
  await messaging.stop();
  const broken = `regexp_replace(events::text, '"difference":\\{[^}]*\\}', '"difference":null')::json`;
  await messaging.rows(`update messaging.history set events = ${broken} where message_id = $1`, [messageIdToUuid(id)]);
  await messaging.start('', { publishHistory: true });

  await messaging.waitForStatus(id, 'UNDELIVERABLE');
});

it('is stored whole as long as a process of an earlier version may run', async () => {
  const from = (hours: number) =>
    messaging.rows(`update messaging.rendering_bases_start set at = clock_timestamp() + $1 * interval '1 hour'`, [hours]);
  const restart = async (): Promise<void> => {
    await messaging.stop();
    await messaging.start('', { publishHistory: true });
  };
  publish('nt_upgraded');
  await from(1);
  await restart();
  await warmUp('nt_upgraded');
  expect(await isShort(await delivered('nt_upgraded', 'upgraded@example.com'))).toBe(false);

  await from(-1);
  await restart();
  await warmUp('nt_upgraded');
  expect(await isShort(await delivered('nt_upgraded', 'upgraded@example.com'))).toBe(true);
});

it('is stored whole where its content is short, is overridden, or is mostly values', async () => {
  publish('nt_whole');
  await warmUp('nt_whole');
  const html = `<p>${randomUUID().repeat(100)}</p>`;
  const overridden = await delivered('nt_whole', 'overridden@example.com', { channels: { email: { override: { html } } } });
  const long = randomUUID().repeat(200);
  const filled = await delivered('nt_whole', 'filled@example.com', { data: { name: long, order: 'A' } });

  expect([await isShort(overridden), await isShort(filled)]).toEqual([false, false]);
  expect((await output(overridden))[0]!.content.html).toBe(html);
  expect((await output(filled))[0]!.content.html).toContain(long);
});

it('of a send to a list or of a bulk job is stored as a difference, that of a send to a single recipient whole', async () => {
  const single = { template: undefined, content: { title: 'News', body: `Hello {name}. ${LONG}` } };
  const [requestId, jobId] = [newMessageId(Date.now()), newMessageId(Date.now())];
  const sends = [single, { ...single, requestId, requestTarget: 'list:news' }, { ...single, requestId: jobId, jobId }];
  const last = [];
  for (const one of sends) {
    for (let sent = 0; sent < WHOLE; sent += 1) await delivered('', `${randomUUID()}@example.com`, one);
    const email = `${randomUUID()}@example.com`;
    const id = await delivered('', email, one);
    last.push(await isShort(id));
    expect((await output(id))[0]!.content.html.trim()).toBe(await received(email));
  }

  expect(last).toEqual([false, true, true]);
});

it('of a template that cannot be rendered without values is stored whole', async () => {
  const content = `${LONG} {{divide 1 data.n}}`;
  const elements = [
    { type: 'meta' as const, title: 'Divided' },
    { type: 'text' as const, content },
  ];
  messaging.content.publish('nt_divided', { version: '2022-01-01', elements });
  let id = '';
  for (let sends = 0; sends <= WHOLE; sends += 1) id = await delivered('nt_divided', 'divided@example.com', { data: { n: 4 } });
  expect(await isShort(id)).toBe(false);
  expect((await output(id))[0]!.content.text).toContain('0.25');
});
