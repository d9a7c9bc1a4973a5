import { createHmac } from 'node:crypto';
import { waitUntil } from '@tidings/testing/wait-until';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';
import { ADA, attempt, cleanUp, open, SMS, startReceiver } from './receiver.fixture';

afterEach(cleanUp);

const NOW = 1_772_000_000_000;

it('sends a message as one signed POST of JSON, byte for byte', async () => {
  const receiver = await startReceiver();
  const provider = open(receiver.url, { authorization: 'Bearer abc' }, { now: () => NOW });

  await provider.send(SMS, ADA, attempt({ number: 3, data: { order: 'A-17' } }));

  const [request] = receiver.received;
  const body =
    '{"message_id":"1-5e2b2615-05efbb3acab9172f88dd3f6f","attempt":3,"channel":"sms","rendered_at":"2026-03-01T10:00:00.000Z",' +
    '"recipient":{"phone_number":"+4915123456789"},"content":{"text":"Shipped"},"data":{"order":"A-17"}}';
  expect(request).toEqual({
    method: 'POST',
    url: '/hook',
    body,
    headers: {
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': 'tidings',
      'accept-encoding': 'identity',
      'idempotency-key': '1-5e2b2615-05efbb3acab9172f88dd3f6f.0',
      'x-courier-message-id': '1-5e2b2615-05efbb3acab9172f88dd3f6f',
      'courier-signature': `t=${NOW},signature=${createHmac('sha256', 'a secret of some length').update(`${NOW}.${body}`).digest('hex')}`,
      authorization: 'Bearer abc',
    },
  });
});

it.each<[Rendered, Recipient, recipient: object, content: object]>([
  [
    {
      kind: 'email',
      email: {
        subject: 'Shipped',
        html: '<p>Shipped</p>',
        text: 'Shipped',
        from: 'Shop <shop@example.com>',
        replyTo: 'help@example.com',
        attachments: [{ filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('hello') }],
      },
    },
    { channel: 'email', email: 'käthe@example.com' },
    { email: 'käthe@example.com' },
    {
      subject: 'Shipped',
      html: '<p>Shipped</p>',
      text: 'Shipped',
      from: 'Shop <shop@example.com>',
      reply_to: 'help@example.com',
      attachments: [{ filename: 'a.txt', content_type: 'text/plain', content: 'aGVsbG8=' }],
    },
  ],
  [
    { kind: 'push', push: { title: 'Shipped', body: 'On its way', data: { order: 'A-17' } } },
    { channel: 'push', user_id: 'ada', tokens: [{ token: 't1', provider_key: 'apn' }] },
    { user_id: 'ada', tokens: [{ token: 't1', provider_key: 'apn' }] },
    { title: 'Shipped', body: 'On its way', data: { order: 'A-17' } },
  ],
  [
    { kind: 'direct_message', directMessage: { text: 'Shipped', blocks: [{ type: 'section' }] } },
    { channel: 'direct_message', slack: { channel: 'C1' } },
    { slack: { channel: 'C1' } },
    { text: 'Shipped', blocks: [{ type: 'section' }] },
  ],
  [
    { kind: 'webhook', webhook: { title: 'Shipped', body: 'On its way', blocks: [{ type: 'text', text: 'On its way' }] } },
    { channel: 'webhook', user_id: 'ada' },
    { user_id: 'ada' },
    { title: 'Shipped', body: 'On its way', blocks: [{ type: 'text', text: 'On its way' }] },
  ],
])('sends content and recipient of every channel: %#', async (rendered, recipient, wireRecipient, content) => {
  const receiver = await startReceiver();

  await open(receiver.url).send(rendered, recipient, attempt());

  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ channel: recipient.channel, recipient: wireRecipient, content, data: {} });
});

it('reuses connections, and replaces one that the receiver closed within the call', async () => {
  const receiver = await startReceiver();
  const provider = open(receiver.url);
  for (let i = 0; i < 3; i += 1) await provider.send(SMS, ADA, attempt());
  expect(receiver.connectionCount).toBe(1);

  receiver.dropIdle();
  const outcome = await provider.send(SMS, ADA, attempt());

  expect(outcome).toMatchObject({ kind: 'accepted' });
  expect(receiver.connectionCount).toBe(2);
  expect(receiver.received).toHaveLength(4);
});

it('refuses calls once closed, and waits for the open ones', async () => {
  const receiver = await startReceiver();
  let finish = (): void => undefined;
  receiver.answering = (answer) => (finish = () => void answer.writeHead(200).end());
  const provider = open(receiver.url);
  const openCall = provider.send(SMS, ADA, attempt());
  await waitUntil(() => receiver.received.length > 0, { what: 'the call' });

  const closed = provider.close();
  expect(await provider.send(SMS, ADA, attempt())).toMatchObject({ kind: 'retry' });
  finish();

  expect(await openCall).toMatchObject({ kind: 'accepted' });
  await closed;
  expect(receiver.received).toHaveLength(1);
});
