import { randomUUID } from 'node:crypto';
import type { ProviderEventKind, ProviderEventReported } from '@tidings/contracts/messaging/provider-events';
import { providerEventReported } from '@tidings/contracts/messaging/provider-events';
import { messages } from '@tidings/contracts/messaging/messages';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { providers } from '@tidings/contracts/messaging/providers';
import { suppressions } from '@tidings/contracts/messaging/suppressions';
import { Database } from '@tidings/persistence/database';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';
import { stepsOf } from './event-store';
import { sentBy } from './reported-address';

import '@tidings/testing/quiet';

describe('what providers report', () => {
  let messaging: Messaging;
  let vendor: CapturingHttp;
  let configurationId: string;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
    vendor = await CapturingHttp.start();
    vendor.answering = (answer) => answer.writeHead(202, { 'x-message-id': 'sg-1' }).end();
    const settings = { api_key: 'SG.the-key-of-the-shop', from_address: 'shop@example.com', base_url: new URL(vendor.url).origin };
    configurationId = (await messaging.call(providers.create, { provider: 'sendgrid', settings })).id;
  });
  afterAll(async () => {
    await messaging.end();
    await vendor.stop();
  });

  const send = async (email = 'ada@example.com', cc?: string) => {
    const channels = cc === undefined ? undefined : { email: { override: { cc } } };
    const [id] = await messaging.send({ profile: { email }, routing: { method: 'single', channels: ['email'] }, channels });
    await messaging.waitForStatus(id!, 'SENT');
    return id!;
  };
  const event = (messageId: string, kind: ProviderEventKind, fields: Partial<ProviderEventReported> = {}): ProviderEventReported => ({
    workspaceId: messaging.workspaceId,
    subject: messageId,
    eventId: randomUUID(),
    provider: 'sendgrid',
    configurationId,
    kind,
    at: Date.now(),
    messageId,
    leaf: 0,
    address: 'Ada@Example.com',
    ...fields,
  });
  const report = (...events: ProviderEventReported[]) =>
    messaging.log.append(
      providerEventReported,
      events.map((payload) => ({ id: payload.eventId, payload })),
    );
  const record = (id: string) => messaging.call(messages.retrieve, { message_id: id });

  it('moves the message, each stage once, in any order', async () => {
    const id = await send();
    const delivered = event(id, 'DELIVERED');

    await report(
      event(id, 'OPENED'),
      delivered,
      delivered,
      event(id, 'CLICKED', { url: 'https://shop.example.com/' }),
      event(id, 'DELIVERED'),
    );

    await messaging.waitForStatus(id, 'CLICKED');
    const types = await messaging.historyTypes(id);
    expect(types.filter((type) => ['DELIVERED', 'OPENED', 'CLICKED'].includes(type)).sort()).toEqual(['CLICKED', 'DELIVERED', 'OPENED']);
    const { opened, clicked, delivered: at, providers: routes } = await record(id);
    expect([opened, clicked, at].every((time) => typeof time === 'number')).toBe(true);
    expect(routes).toMatchObject([{ status: 'CLICKED', provider: 'sendgrid', reference: { id: 'sg-1' } }]);
    expect(routes![0]).not.toHaveProperty('failure');
  });

  it('ends a message that bounced, and shows complaints without a status of their own', async () => {
    const [bounced, complained] = [await send('bob@example.com'), await send('eve@example.com')];

    await report(
      event(bounced, 'BOUNCED', { reasonCode: 'HARD', details: '550 no such user', address: undefined }),
      event(complained, 'DELIVERED', { address: undefined }),
      event(complained, 'COMPLAINED', { address: 'Eve@Example.com' }),
      event(complained, 'UNSUBSCRIBED', { address: undefined }),
    );

    await messaging.waitForStatus(bounced, 'UNDELIVERABLE');
    expect(await record(bounced)).toMatchObject({ reason: 'BOUNCED', error: 'sendgrid reported a hard bounce: 550 no such user' });
    await waitUntil(async () => (await record(complained)).providers?.[0]?.unsubscribed !== undefined);
    const { status, providers: routes } = await record(complained);
    expect([status, typeof routes![0]!.complained]).toEqual(['DELIVERED', 'number']);
  });

  it('suppresses the address of a hard bounce and of a complaint, by the address that was sent to', async () => {
    const of = (address: string) => messaging.call(suppressions.retrieve, { channel: 'email' as const, address });

    expect(await of('bob@example.com')).toMatchObject({ reason: 'hard_bounce', source: 'sendgrid' });
    expect(await of('eve@example.com')).toMatchObject({ reason: 'complaint', source: 'sendgrid' });
    const [next] = await messaging.send({ profile: { email: 'bob@example.com' }, routing: { method: 'single', channels: ['email'] } });
    await messaging.waitForStatus(next!, 'UNDELIVERABLE');
    await expect(of('ada@example.com')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('suppresses an address that unsubscribed at the vendor, without a message', async () => {
    const nameless = { messageId: undefined, leaf: undefined, reference: '00000000-0000-0000-0000-000000000000' };
    await report(event('none', 'UNSUBSCRIBED', { ...nameless, subject: randomUUID(), address: 'Left <Left@Example.com>' }));

    const found = () => messaging.call(suppressions.list, { address: 'left@example.com' });
    await waitUntil(async () => (await found()).results.length > 0, { what: 'the suppression' });
    expect((await found()).results).toMatchObject([{ channel: 'email', reason: 'unsubscribe', source: 'sendgrid' }]);
  });

  it('concerns nothing of another workspace, of another configuration, or of a copy of the mail', async () => {
    const id = await send('ada@example.com', 'copy@example.com');
    const marker = await send();

    await report(
      event(id, 'DELIVERED', { workspaceId: randomUUID() }),
      event(id, 'DELIVERED', { configurationId: 'prv_of_another' }),
      event(id, 'DELIVERED', { address: 'copy@example.com' }),
      event(id, 'BOUNCED', { reasonCode: 'HARD', address: undefined }),
      event(marker, 'DELIVERED'),
    );

    await messaging.waitForStatus(marker, 'DELIVERED');
    await waitUntil(async () => (await messaging.rows('select from messaging.parked_provider_events')).length >= 2);
    expect(await messaging.statusOf(id)).toBe('SENT');
  });

  it('needs the addresses of a message, not its contents', async () => {
    const id = await send('ada@example.com', 'copy@example.com');

    const database = messaging.get<Database>(Database);
    const [steps = []] = (await stepsOf(database, [{ workspaceId: messaging.workspaceId, uuid: messageIdToUuid(id)! }])).values();

    expect(steps.flat().map(({ type }) => type)).toEqual(['ENQUEUED', 'PROFILE_LOADED', 'RENDERED']);
    expect(JSON.stringify(steps).length).toBeLessThan(500);
    expect(sentBy(steps, configurationId)).toEqual({ address: 'ada@example.com', hasCopies: true });
  });

  it('is about a mail without copies however its address is spelled', async () => {
    const id = await send('ada@b\u00fccher.example');

    await report(event(id, 'DELIVERED', { address: 'ada@xn--bcher-kva.example' }));

    await messaging.waitForStatus(id, 'DELIVERED');
  });

  it('keeps no other process from the history while it waits for a suppression', async () => {
    const address = 'locked@example.com';
    const id = await send(address);
    await messaging.call(suppressions.replace, { channel: 'email', address, reason: 'unsubscribe' });

    await messaging.get<Database>(Database).transaction(async (tx) => {
      await tx.query('select from suppressions where address = $1 for update', [address]);
      await report(event(id, 'COMPLAINED', { address: undefined }));
      await waitUntil(
        async () =>
          (await messaging.rows("select from pg_stat_activity where wait_event = 'transactionid' and state = 'active'")).length > 0,
        { what: 'the report to wait' },
      );
      const [next] = await messaging.send({ profile: { email: 'next@example.com' }, routing: { method: 'single', channels: ['email'] } });
      await messaging.waitForStatus(next!, 'SENT');
    });

    await waitUntil(async () => (await record(id)).providers?.[0]?.complained !== undefined, { what: 'the complaint' });
  });

  it('waits for a message that is not stored yet', async () => {
    const id = newMessageId(Date.now());
    await report(event(id, 'DELIVERED'));
    await waitUntil(
      async () =>
        (await messaging.rows("select from messaging.parked_provider_events where event ->> 'messageId' = $1", [id])).length === 1,
    );

    await messaging.send({ id, profile: { email: 'ada@example.com' }, routing: { method: 'single', channels: ['email'] } });

    await messaging.waitForStatus(id, 'DELIVERED');
    await waitUntil(
      async () =>
        (await messaging.rows("select from messaging.parked_provider_events where event ->> 'messageId' = $1", [id])).length === 0,
    );
  });

  it('finds a message by the id of the vendor, where an event names nothing else', async () => {
    const id = await send();
    await messaging.rows(
      `insert into messaging.provider_references (workspace_id, configuration_id, reference, message_id)
       select workspace_id, $2, 'wamid.1', id from messaging.messages where id = $1::uuid`,
      [messageIdToUuid(id), configurationId],
    );

    await report(event(id, 'DELIVERED', { messageId: undefined, leaf: undefined, reference: 'wamid.1' }));

    await messaging.waitForStatus(id, 'DELIVERED');
  });
});
