import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { messages } from '@tidings/contracts/messaging/messages';
import { providers } from '@tidings/contracts/messaging/providers';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';
import { ReceiptPoller } from './receipt-poller';

import '@tidings/testing/quiet';

const PUSH = { method: 'single' as const, channels: ['push'] };

describe('receipts of push messages', () => {
  let messaging: Messaging;
  let expo: CapturingHttp;
  let receipts: Record<string, object>;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
    expo = await CapturingHttp.start();
    expo.answering = (answer, { url, body }) => {
      if (url.endsWith('/getReceipts')) respond(answer, receipts);
      else accept(answer, (JSON.parse(body) as [{ to: string }])[0].to);
    };
    await messaging.call(providers.create, { provider: 'expo', settings: { base_url: new URL(expo.url).origin } });
  });
  afterAll(async () => {
    await messaging.end();
    await expo.stop();
  });

  const respond = (answer: ServerResponse, data: object) =>
    void answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  const accept = (answer: ServerResponse, token: string) => respond(answer, [{ status: 'ok', id: `ticket of ${token}` }]);
  const send = async (...tokens: string[]) => {
    const [id] = await messaging.send({ profile: { expo: { tokens } }, routing: PUSH });
    await messaging.waitForStatus(id!, 'SENT');
    return id!;
  };
  const poll = async () => {
    await messaging.rows('update messaging.provider_tickets set due_at = now()');
    messaging.get<ReceiptPoller>(ReceiptPoller).wake();
  };
  const waiting = async () => (await messaging.rows('select from messaging.provider_tickets')).length;

  it('move a message, revoke the token of a device that left, and are requested again while they are missing', async () => {
    const [delivered, revoked, late] = [await send('a'), await send('b'), await send('c')];
    receipts = {
      'ticket of a': { status: 'ok' },
      'ticket of b': { status: 'error', message: 'no such device', details: { error: 'DeviceNotRegistered' } },
    };

    await poll();

    await messaging.waitForStatus(delivered, 'DELIVERED');
    await messaging.waitForStatus(revoked, 'UNDELIVERABLE');
    await waitUntil(() => messaging.profiles.reports.some(({ token, outcome }) => token === 'b' && outcome === 'revoked'));
    await waitUntil(async () => (await waiting()) === 1);
    expect(await messaging.statusOf(late)).toBe('SENT');

    receipts = { 'ticket of c': { status: 'ok' } };
    await poll();
    await messaging.waitForStatus(late, 'DELIVERED');
    await waitUntil(async () => (await waiting()) === 0);
  });

  it('of one of several devices fail no message', async () => {
    const id = await send('d', 'e');
    receipts = {
      'ticket of d': { status: 'error', message: 'too big', details: { error: 'MessageTooBig' } },
      'ticket of e': { status: 'ok' },
    };

    await poll();

    await messaging.waitForStatus(id, 'DELIVERED');
    const { providers: routes } = await messaging.call(messages.retrieve, { message_id: id });
    expect(routes).toMatchObject([{ provider: 'expo', status: 'DELIVERED' }]);
  });

  it.each([
    ['at once', ['g', 'h'], []],
    ['one after another', ['i'], ['k']],
  ])('of all devices of a message fail it, %s', async (_when, first, second) => {
    const id = await send(...first, ...second);
    const failed = { status: 'error', message: 'too big', details: { error: 'MessageTooBig' } };
    receipts = Object.fromEntries(first.map((token) => [`ticket of ${token}`, failed]));
    await poll();
    await waitUntil(async () => (await waiting()) === second.length);
    if (second.length > 0) expect(await messaging.statusOf(id)).toBe('SENT');
    for (const token of second) receipts[`ticket of ${token}`] = failed;
    await poll();

    await messaging.waitForStatus(id, 'UNDELIVERABLE');
    await waitUntil(async () => (await waiting()) === 0);
  });

  it('of a workspace do not wait for those of another one, whose push service does not answer', async () => {
    const context = { ...messaging.context, workspaceId: randomUUID() };
    const hanging = await CapturingHttp.start();
    let [isRequested, isOver] = [false, false];
    hanging.answering = (answer, { url }) => {
      if (!url.endsWith('/getReceipts')) return accept(answer, 'hanging');
      isRequested = true;
      answer.on('close', () => (isOver = true));
    };
    await messaging.call(providers.create, { provider: 'expo', settings: { base_url: new URL(hanging.url).origin } }, context);
    await messaging.send({ workspaceId: context.workspaceId, profile: { expo: { tokens: ['hanging'] } }, routing: PUSH });
    const id = await send('answered');
    await waitUntil(async () => (await waiting()) === 2);
    receipts = { 'ticket of answered': { status: 'ok' } };

    await poll();

    await messaging.waitForStatus(id, 'DELIVERED');
    await waitUntil(() => isRequested);
    expect(isOver).toBe(false);
    await hanging.stop();
    await messaging.rows('delete from messaging.provider_tickets');
  });

  it('are requested for a day at most', async () => {
    await send('f');
    receipts = {};
    await messaging.rows(`update messaging.provider_tickets set accepted_at = now() - interval '25 hours'`);

    await poll();

    await waitUntil(async () => (await waiting()) === 0);
  });
});
