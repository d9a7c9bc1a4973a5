import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { parseNetwork } from '@tidings/contracts/core/network';
import { AddressGuard } from '../http/guard/address-guard';
import { SmtpProvider } from './smtp-provider';
import { attempt, cleanUp, cleanUps, MAIL, mailerOf, start } from './smtp-server.fixture';
import { parseSmtpUrl } from './smtp-settings';

afterEach(cleanUp);

const PASSWORD = 'a password of the shop';

/** A man in the middle of the connections to a mail server: changes its replies, and records what clients send before TLS. */
async function intercept(server: { port: number }, change: (reply: string) => string) {
  const sent: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connectTcp(server.port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('data', (chunk) => {
      sent.push(chunk.toString('latin1'));
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => client.write(change(chunk.toString('latin1')), 'latin1'));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  cleanUps.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
  return { port: (proxy.address() as AddressInfo).port, sent };
}

/** A client of a server at another host, with the rules of that host, though its name leads to this machine. */
function connectTo(port: number, overrides: { verify?: boolean } = {}) {
  const guard = new AddressGuard({
    allowed: [parseNetwork('127.0.0.1/32')!],
    resolve: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  const settings = parseSmtpUrl(`smtp://shop:${encodeURIComponent(PASSWORD)}@mail.example:${port}?from=shop@example.com`);
  const mailer = mailerOf(new SmtpProvider({ ...settings, guard, ...overrides }));
  cleanUps.push(() => mailer.close());
  return mailer;
}

/** The last line of a reply has a blank behind its code. */
function withoutStartTls(reply: string) {
  const lines = reply.split('\r\n').filter((line) => !/^250[- ]STARTTLS$/.test(line));
  return lines.join('\r\n').replace(/^250-(.*\r\n)$/m, '250 $1');
}

async function startServer() {
  const logins: (string | undefined)[] = [];
  const server = await start({
    disabledCommands: [],
    authOptional: false,
    onAuth: ({ username }, _session, done) => {
      logins.push(username);
      done(null, { user: username });
    },
  });
  return { server, logins };
}

describe('a network that removes encryption', () => {
  it.each([
    ['removes STARTTLS from the extensions', withoutStartTls],
    ['renames it', (reply: string) => reply.replace('STARTTLS', 'XXXXXXXA')],
    ['refuses it', (reply: string) => (reply.startsWith('220 ') && !/ESMTP/.test(reply) ? '454 4.7.0 TLS not available\r\n' : reply)],
  ])('and %s gets neither the password nor the mail', async (_how, change) => {
    const { server, logins } = await startServer();
    const proxy = await intercept(server, change);

    const outcome = await connectTo(proxy.port, { verify: false }).send(MAIL, { email: 'jane@example.org' }, attempt());

    expect(outcome).not.toMatchObject({ kind: 'accepted' });
    expect(JSON.stringify(outcome)).toContain('STARTTLS');
    expect(proxy.sent.join('')).toMatch(/^EHLO [^\r]*\r\n(STARTTLS\r\n)?(QUIT\r\n)?$/);
    expect([logins, server.received]).toEqual([[], []]);
  });

  it('and replaces the certificate gets neither', async () => {
    const { server, logins } = await startServer();

    const outcome = await connectTo(server.port).send(MAIL, { email: 'jane@example.org' }, attempt());

    expect(outcome).toMatchObject({ kind: 'failed', cause: 'configuration', error: expect.stringContaining('certificate') as string });
    expect([logins, server.received]).toEqual([[], []]);
  });

  it('is what these tests detect: unchanged, the same connection delivers over TLS', async () => {
    const { server, logins } = await startServer();
    const proxy = await intercept(server, (reply) => reply);

    const outcome = await connectTo(proxy.port, { verify: false }).send(MAIL, { email: 'jane@example.org' }, attempt());

    expect(outcome).toMatchObject({ kind: 'accepted' });
    expect(proxy.sent.join('')).not.toContain('AUTH');
    expect([logins, server.received.map(({ session }) => session.secure)]).toEqual([['shop'], [true]]);
  });
});
