import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { bounces } from '@tidings/contracts/messaging/bounces';
import { newMessageId } from '@tidings/contracts/messaging/message-id';
import { messages } from '@tidings/contracts/messaging/messages';
import { Messaging } from '../testing/start-messaging';
import { BounceAddresses } from './bounce-addresses';
import { BounceListener } from './bounce-listener';
import { undeliveredIn } from './delivery-report';
import { deliveryReport } from './delivery-report.fixture';

import '@tidings/testing/quiet';

const DOMAIN = 'bounces.example.com';
const key = randomBytes(32);

describe('a return path', () => {
  const message = newMessageId(Date.now());
  const address = new BounceAddresses(DOMAIN, [key]).of(message);

  it('names its message to those with the key, in any case, and with a later key in front', () => {
    expect(address).toMatch(/^b\+[0-9a-f]{52}@bounces\.example\.com$/);
    const rotated = new BounceAddresses(DOMAIN, [randomBytes(32), key]);
    for (const one of [address, address.toUpperCase()]) expect(rotated.messageIn(one)).toBe(message);
  });

  it.each([
    ['another key', address, [randomBytes(32)]],
    ['another domain', address.replace(DOMAIN, 'example.com'), [key]],
    ['another message', `b+0${address.slice(3)}`, [key]],
    ['another signature', address.replace(/.(?=@)/, (digit) => (digit === '0' ? '1' : '0')), [key]],
    ['no return path', `postmaster@${DOMAIN}`, [key]],
    ['no address', 'b+', [key]],
  ])('is refused with %s', (_which, given, keys) => {
    expect(new BounceAddresses(DOMAIN, keys).messageIn(given)).toBeUndefined();
  });
});

describe('a delivery report', () => {
  it.each([
    [{}, { address: 'Ada@example.com', reasonCode: 'HARD', status: '5.1.1', diagnostic: expect.stringContaining('550 5.1.1') as string }],
    [{ status: '5.2.1' }, { reasonCode: 'HARD' }],
    [{ status: '5.0.0', diagnostic: 'smtp; 550 no such user' }, { reasonCode: 'HARD' }],
    [{ status: '5.2.2', diagnostic: 'smtp; 552 mailbox full' }, { reasonCode: 'SOFT' }],
    [{ status: '4.4.1', diagnostic: 'smtp; no answer' }, { reasonCode: 'SOFT' }],
    [{ status: '5.7.1', diagnostic: 'smtp; 550 5.7.1 policy' }, { reasonCode: 'SOFT' }],
    [{ status: '5.1.8', diagnostic: "smtp; 550 5.1.8 the sender's domain" }, { reasonCode: 'SOFT' }],
    [{ recipient: 'rfc822; alias@example.org\nOriginal-Recipient: rfc822; ada@example.com' }, { address: 'ada@example.com' }],
  ])('%j is %j', async (fields, expected) => {
    expect(await undeliveredIn(Buffer.from(deliveryReport(fields)))).toEqual([expect.objectContaining(expected)]);
  });

  it('is read in time, and of a hundred recipients at most, whatever it contains', async () => {
    const blanks = deliveryReport({ status: `a${' '.repeat(300_000)}b` });
    expect(await undeliveredIn(Buffer.from(blanks))).toEqual([expect.objectContaining({ reasonCode: 'SOFT', status: undefined })]);
    const groups = 'Action: failed\n\nFinal-Recipient: rfc822; eve@example.com\n'.repeat(10_000);
    expect((await undeliveredIn(Buffer.from(deliveryReport({ action: `failed\n\n${groups}` })))).length).toBe(100);
  });

  it.each([
    ['of a delay', deliveryReport({ action: 'delayed', status: '4.4.1' })],
    ['of a delivery', deliveryReport({ action: 'delivered', status: '2.0.0' })],
    ['that is none', 'Subject: Out of office\r\n\r\nBack on Monday.\r\n'],
    ['that is no mail', '\0\0'],
  ])('%s says nothing', async (_which, mail) => {
    expect(await undeliveredIn(Buffer.from(mail))).toEqual([]);
  });
});

describe('a bounce of a mail server', () => {
  let messaging: Messaging;
  const addresses = new BounceAddresses(DOMAIN, [key]);

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start('', { bounces: { addresses, port: 0 } });
  });
  afterAll(() => messaging.end());

  /** Replies to the lines of a conversation, the last of each. */
  async function converse(lines: readonly string[]): Promise<string[]> {
    const socket = connect(messaging.get<BounceListener>(BounceListener).port!, '127.0.0.1');
    const received = createInterface({ input: socket })[Symbol.asyncIterator]();
    const reply = async () => {
      for (;;) {
        const { value } = (await received.next()) as { value: string };
        if (!/^\d{3}-/.test(value)) return value;
      }
    };
    const replies = [await reply()];
    for (const line of lines) {
      socket.write(`${line}\r\n`);
      replies.push(await reply());
    }
    socket.end();
    await once(socket, 'close');
    return replies.slice(1).map((one) => one.slice(0, 3));
  }
  const conversation = (to: string, report = deliveryReport()) => [
    'EHLO mx.example.com',
    'MAIL FROM:<>',
    `RCPT TO:<${to}>`,
    'DATA',
    `${report}.`,
  ];

  it('goes to the return path of its message, and ends it', async () => {
    const [id] = await messaging.send();
    await messaging.waitForStatus(id!, 'DELIVERED');
    const to = addresses.of(id!);
    expect(messaging.smtp.mails.at(-1)!.envelope.from).toBe(to);

    expect(await converse(conversation(to))).toEqual(['250', '250', '250', '354', '250']);

    await messaging.waitForStatus(id!, 'UNDELIVERABLE');
    const { reason, error } = await messaging.call(messages.retrieve, { message_id: id! });
    expect([reason, error]).toEqual(['BOUNCED', expect.stringContaining('smtp reported a hard bounce: 550 5.1.1')]);
  });

  it('may be followed by megabytes of the mail that it is about', async () => {
    const [id] = await messaging.send({ profile: { email: 'eve@example.com' } });
    await messaging.waitForStatus(id!, 'DELIVERED');
    const whole = deliveryReport({ recipient: 'rfc822; eve@example.com' }).replace('has shipped.', `${'x'.repeat(70)}\r\n`.repeat(30_000));

    expect((await converse(conversation(addresses.of(id!), whole))).at(-1)).toBe('250');

    await messaging.waitForStatus(id!, 'UNDELIVERABLE');
  });

  it('may come through a pipe', async () => {
    const [id] = await messaging.send({ profile: { email: 'bob@example.com' } });
    await messaging.waitForStatus(id!, 'DELIVERED');
    const mail = Buffer.from(deliveryReport({ recipient: 'rfc822; bob@example.com' })).toString('base64');

    expect(await messaging.call(bounces.receive, { to: addresses.of(id!), mail })).toEqual({ reported: 1 });
    await messaging.waitForStatus(id!, 'UNDELIVERABLE');

    await expect(messaging.call(bounces.receive, { to: `b+${'0'.repeat(52)}@${DOMAIN}`, mail })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is refused at another address', async () => {
    expect(await converse(conversation(`b+${'0'.repeat(52)}@${DOMAIN}`).slice(0, 3))).toEqual(['250', '250', '550']);
  });

  it('of an unknown message is accepted and dropped, as any other mail to a return path', async () => {
    const unknown = addresses.of(newMessageId(Date.now()));

    expect((await converse(conversation(unknown))).at(-1)).toBe('250');
    expect((await converse(conversation(unknown, 'Subject: Out of office\r\n\r\nBack on Monday.\r\n'))).at(-1)).toBe('250');
  });
});
