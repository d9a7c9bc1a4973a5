import type { LookupAddress } from 'node:dns';
import { parseNetwork } from '@tidings/contracts/core/network';
import { SmtpProvider } from '../../smtp/smtp-provider';
import { parseSmtpUrl } from '../../smtp/smtp-settings';
import { MAIL, mailerOf, TestServer } from '../../smtp/smtp-server.fixture';
import { ADA, attempt, cleanUp, cleanUps, guardOf, open, SMS, startReceiver } from '../receiver.fixture';
import { AddressGuard, type Resolve } from './address-guard';

afterEach(cleanUp);

it.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '203.0.113.5',
  '224.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:a00:1',
  '::127.0.0.1',
  '64:ff9b::a00:1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2001:0:4136:e378::',
  'localhost',
  '2130706433',
  '',
])('%s is not public', (address) => {
  expect(new AddressGuard().allows(address)).toBe(false);
});

it.each(['1.1.1.1', '100.63.255.255', '172.32.0.1', '192.167.1.1', '::ffff:8.8.8.8', '2606:4700:4700::1111', '2a00:1450::1'])(
  '%s is public',
  (address) => {
    expect(new AddressGuard().allows(address)).toBe(true);
  },
);

it('allows the networks of the operators, and no others', () => {
  const guard = guardOf(['10.1.0.0/16', 'fd12::/16']);

  expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1'].map((address) => guard.allows(address))).toEqual([true, true, true]);
  expect(['10.2.0.1', '127.0.0.1', 'fd13::1', '::1'].map((address) => guard.allows(address))).toEqual([false, false, false, false]);
});

it.each(['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'ten/8', '10.0.0.0/8 ', '', '1.2.3/8'])('%j is no network', (text) => {
  expect(parseNetwork(text)).toBeUndefined();
});

describe('a host', () => {
  it.each(['127.0.0.1', '[::1]', '::1', '2130706433', '0x7f.1', '127.1', '127.0.0.1.', 'localhost', 'LOCALHOST.', 'a.localhost'])(
    '%s is at a loopback address in any spelling',
    (host) => {
      expect(new AddressGuard().allowsHost(host)).toBe(false);
      expect(guardOf(['127.0.0.0/8', '::1/128']).allowsHost(host)).toBe(true);
    },
  );

  it.each(['mail.example', 'localhost.example.com', 'notlocalhost', 'mail:25', '', '8.8.8.8'])(
    '%j may be public, judged by its spelling',
    (host) => {
      expect(new AddressGuard().allowsHost(host)).toBe(true);
    },
  );
});

/** Resolves every name to the next of these answers, then always to the last one. */
function resolving(...answers: string[][]): { resolve: Resolve; lookups: () => number } {
  let lookups = 0;
  const resolve: Resolve = (_host, _options, callback) => {
    const addresses = answers[Math.min(lookups, answers.length - 1)]!;
    lookups += 1;
    const found: LookupAddress[] = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(() => callback(null, found));
  };
  return { resolve, lookups: () => lookups };
}

/** Resolves no name. */
const missing: Resolve = (_host, _options, callback) => callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
const noAddress = (host: string): string =>
  `${host} does not exist or is not at a public address; operators allow others by TIDINGS_ALLOWED_PRIVATE_NETWORKS`;
const refused = { kind: 'failed', cause: 'configuration', error: expect.stringContaining('not at a public address') as string };

it.each([
  'http://127.0.0.1/',
  'http://0x7f.1/',
  'http://2130706433/',
  'http://0/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://169.254.169.254/latest/meta-data/',
  'https://10.0.0.1/',
  'http://localhost/',
])('a call of %s is not made', async (url) => {
  expect(await open(url, {}, { guard: new AddressGuard() }).send(SMS, ADA, attempt())).toMatchObject(refused);
});

describe('a name', () => {
  it('that resolves to a private address has the outcome of one that does not exist, and no connection', async () => {
    const receiver = await startReceiver();
    const outcomes: unknown[] = [];
    for (const { resolve } of [resolving(['127.0.0.1']), { resolve: missing }]) {
      const guard = new AddressGuard({ resolve });
      outcomes.push(await open(`http://rebind.example:${receiver.port}/`, {}, { guard }).send(SMS, ADA, attempt()));
    }

    expect(outcomes[0]).toEqual({ kind: 'retry', error: noAddress('rebind.example'), outage: true });
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(receiver.connectionCount).toBe(0);
  });

  it('that changes its addresses between two connections is checked each time', async () => {
    const receiver = await startReceiver();
    const { resolve, lookups } = resolving(['127.0.0.1'], ['127.0.0.2']);
    const provider = open(`http://rebind.example:${receiver.port}/`, {}, { guard: guardOf(['127.0.0.1/32'], { resolve }) });

    expect(await provider.send(SMS, ADA, attempt())).toMatchObject({ kind: 'accepted' });
    receiver.answering = (answer) => void answer.writeHead(200, { connection: 'close' }).end();
    expect(await provider.send(SMS, ADA, attempt())).toMatchObject({ kind: 'accepted' }); // on the open, checked connection
    expect(lookups()).toBe(1);

    expect(await provider.send(SMS, ADA, attempt())).toMatchObject({ kind: 'retry', error: noAddress('rebind.example') });
    expect(receiver.received).toHaveLength(2);
  });

  it('is resolved once for a connection, which goes to the checked address', async () => {
    const receiver = await startReceiver();
    // A second lookup, as of a client that checks first and connects later, would get another address.
    const { resolve, lookups } = resolving(['127.0.0.1'], ['127.0.0.9']);
    const guard = guardOf(['127.0.0.1/32'], { resolve });

    const outcome = await open(`http://rebind.example:${receiver.port}/`, {}, { guard }).send(SMS, ADA, attempt());

    expect(outcome).toMatchObject({ kind: 'accepted' });
    expect(lookups()).toBe(1);
  });

  it('with private and allowed addresses is reached at the allowed ones alone', async () => {
    const receiver = await startReceiver();
    const guard = guardOf(['127.0.0.1/32'], resolving(['10.0.0.1', '::1', '127.0.0.1']));

    expect(await open(`http://mixed.example:${receiver.port}/`, {}, { guard }).send(SMS, ADA, attempt())).toMatchObject({
      kind: 'accepted',
    });
  });
});

describe('a mail server', () => {
  it.each(['127.0.0.1', '[::1]', 'localhost', '2130706433'])('at %s is refused before a connection', async (host) => {
    const server = await new TestServer().start();
    cleanUps.push(() => server.stop());
    const settings = parseSmtpUrl(`smtp://mail.example:${server.port}?from=shop@example.com`);
    const provider = mailerOf(new SmtpProvider({ ...settings, host: host.replace(/[[\]]/g, ''), guard: new AddressGuard() }));
    cleanUps.push(() => provider.close());

    const outcome = await provider.send(MAIL, { email: 'jane@example.org' }, attempt());

    expect(outcome).toMatchObject(refused);
    expect(server.connectionCount).toBe(0);
  });

  it('whose name has a private address has the outcome of one that does not exist', async () => {
    const outcomes: unknown[] = [];
    for (const { resolve } of [resolving(['127.0.0.1']), { resolve: missing }]) {
      const settings = parseSmtpUrl('smtp://mail.example:25?from=shop@example.com');
      const provider = mailerOf(new SmtpProvider({ ...settings, guard: new AddressGuard({ resolve }) }));
      cleanUps.push(() => provider.close());
      outcomes.push(await provider.send(MAIL, { email: 'jane@example.org' }, attempt()));
    }

    expect(outcomes[0]).toMatchObject({ kind: 'retry', error: expect.stringContaining(noAddress('mail.example')) as string, outage: true });
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  it('at an allowed address is reached', async () => {
    const server = await new TestServer().start();
    cleanUps.push(() => server.stop());
    const guard = guardOf(['127.0.0.1/32'], resolving(['10.0.0.1', '127.0.0.1']));
    const settings = parseSmtpUrl(`smtp://mail.example:${server.port}?from=shop@example.com`);
    const provider = mailerOf(new SmtpProvider({ ...settings, guard }));
    cleanUps.push(() => provider.close());

    expect(await provider.send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
  });
});
