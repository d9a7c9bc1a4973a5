import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import type { Attempt, Outcome } from '../provider';
import { SmtpProvider } from './smtp-provider';
import { parseSmtpUrl } from './smtp-settings';

interface Received {
  session: SMTPServerSession;
  raw: string;
  mail: Email;
}

/** A real SMTP server that keeps what it gets. `refuse` answers at the end of a message; RCPT and MAIL refusals go in `options`. */
class TestServer {
  readonly received: Received[] = [];
  readonly openConnections = new Set<string>();
  connectionCount = 0;
  port = 0;
  private server?: SMTPServer;

  constructor(
    private readonly options: SMTPServerOptions = {},
    private readonly refuse: (session: SMTPServerSession) => Error | null = () => null,
  ) {}

  async start(): Promise<this> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: this.options.onAuth ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 100,
      onConnect: ({ id }, done) => {
        this.connectionCount++;
        this.openConnections.add(id);
        done();
      },
      onClose: ({ id }) => void this.openConnections.delete(id),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const refusal = this.refuse(session);
          if (refusal) return done(refusal);
          const raw = Buffer.concat(chunks);
          void PostalMime.parse(raw).then((mail) => {
            this.received.push({
              session: structuredClone({ envelope: session.envelope, secure: session.secure }) as SMTPServerSession,
              raw: raw.toString('latin1'),
              mail,
            });
            done();
          });
        });
      },
      ...this.options,
    });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => (this.server ? this.server.close(() => resolve()) : resolve()));
    this.server = undefined;
  }
}

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(options?: SMTPServerOptions, refuse?: (session: SMTPServerSession) => Error | null): Promise<TestServer> {
  const server = await new TestServer(options, refuse).start();
  cleanUps.push(() => server.stop());
  return server;
}

function connect(server: { port: number }, query = '', login = '', overrides: { idleMs?: number } = {}): SmtpProvider {
  const settings = parseSmtpUrl(`smtp://${login}127.0.0.1:${server.port}?from=shop@example.com&timeout=5000${query}`);
  const provider = new SmtpProvider({ ...settings, ...overrides });
  cleanUps.push(() => provider.close());
  return provider;
}

let keys = 0;
function attempt(overrides: Partial<Attempt> = {}): Attempt {
  const idempotencyKey = `key-${++keys}`;
  return {
    messageId: '1-5e2b2615-05efbb3acab9172f88dd3f6f',
    idempotencyKey,
    number: 1,
    renderedAt: new Date('2026-03-01T10:00:00Z'),
    ...overrides,
  };
}

const MAIL = { subject: 'Shipped', text: 'Your order is on its way.\n', html: '<p>Your order is on its way.</p>' };

function refusal(code: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode: code });
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
}

describe('a mail', () => {
  it('arrives as it was rendered and is delivered by the reply of the server', async () => {
    const server = await start();

    const outcome = await connect(server).send(
      { ...MAIL, replyTo: 'Help <help@example.com>' },
      { email: 'jane@example.org', name: 'Jane Doe' },
      attempt({ idempotencyKey: 'abc' }),
    );

    expect(outcome).toMatchObject({
      kind: 'accepted',
      delivered: true,
      reference: { reply: expect.stringMatching(/^250 /), message_id: '<abc@example.com>' },
    });
    const [{ mail, session }] = server.received as [Received];
    expect(session.envelope).toMatchObject({ mailFrom: { address: 'shop@example.com' }, rcptTo: [{ address: 'jane@example.org' }] });
    expect(mail).toMatchObject({
      subject: 'Shipped',
      messageId: '<abc@example.com>',
      date: '2026-03-01T10:00:00.000Z',
      from: { address: 'shop@example.com' },
      to: [{ address: 'jane@example.org', name: 'Jane Doe' }],
      replyTo: [{ address: 'help@example.com', name: 'Help' }],
      text: 'Your order is on its way.\n',
    });
    expect(mail.html?.trim()).toBe('<p>Your order is on its way.</p>');
  });

  it('is the same bytes when its attempt is repeated', async () => {
    const server = await start();
    const provider = connect(server);
    const same = attempt({ idempotencyKey: 'message/leaf:smtp' });
    const withFile = { ...MAIL, attachments: [{ filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('file') }] };

    for (const number of [1, 2]) await provider.send(MAIL, { email: 'jane@example.org' }, { ...same, number });
    for (const number of [1, 2]) await provider.send(withFile, { email: 'jane@example.org' }, { ...same, number });

    const [first, second, third, fourth] = server.received.map(({ raw }) => raw);
    expect(second).toBe(first);
    expect(fourth).toBe(third);
    expect(third).not.toBe(first);
  });

  it('keeps text beyond ASCII in subject, names and body, and writes it with 7 bits', async () => {
    const server = await start();
    const subject = 'Ваш заказ 😀 “отправлен” '.repeat(8).trim();
    const text = `Grüße aus Zürich\n${'漢字'.repeat(400)}\n`;
    const html = `<p>Ĝis la revido – ${'é'.repeat(2000)}</p>`;

    await connect(server).send(
      { subject, text, html, from: 'Käse & Söhne <shop@example.com>' },
      { email: 'jo@example.org', name: 'Jöhn "J" O’Neil' },
      attempt(),
    );

    const [{ mail, raw }] = server.received as [Received];
    expect(mail).toMatchObject({ subject, from: { name: 'Käse & Söhne' }, to: [{ name: 'Jöhn "J" O’Neil' }] });
    expect(mail.text?.replaceAll('\r\n', '\n')).toBe(text);
    expect(mail.html?.trim()).toBe(html);
    expect(raw).toMatch(/^[\t\r\n -~]*$/);
    expect(Math.max(...raw.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
  });

  it('goes to addresses beyond ASCII: the domain as punycode, the local part by SMTPUTF8', async () => {
    const server = await start();
    const provider = connect(server);

    await provider.send(MAIL, { email: 'jane@münchen.example' }, attempt());
    await provider.send(MAIL, { email: 'žofie@münchen.example' }, attempt());

    // smtp-server decodes punycode for its hooks, so the envelope shows the domain as people write it.
    expect(server.received.map(({ session }) => session.envelope.rcptTo[0]?.address)).toEqual([
      'jane@münchen.example',
      'žofie@münchen.example',
    ]);
    expect(server.received[0]?.raw).toContain('To: jane@xn--mnchen-3ya.example\r\n');
    expect(Buffer.from(server.received[1]?.raw ?? '', 'latin1').toString()).toContain('To: žofie@xn--mnchen-3ya.example\r\n');
  });

  it('fails for good where the server cannot take an address beyond ASCII', async () => {
    const server = await start({ hideSMTPUTF8: true });
    const outcome = await connect(server).send(MAIL, { email: 'žofie@example.org' }, attempt());
    expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent', error: expect.stringContaining('SMTPUTF8') });
  });

  it('keeps lines that begin with dots, lines longer than SMTP allows, and every kind of line end', async () => {
    const server = await start();
    const text = `.\n..\n.hidden\nlong ${'x'.repeat(5000)}\nmac\rwindows\r\nFrom here\n`;
    const html = `<pre>\n.\n</pre>`;

    await connect(server).send({ subject: 'dots', text, html }, { email: 'jane@example.org' }, attempt());
    await connect(server).send({ subject: 'dots', text: '.\n.' }, { email: 'jane@example.org' }, attempt());

    expect(server.received.map(({ mail }) => mail.text)).toEqual([text.replace(/\r\n?/g, '\n'), '.\n.\n']);
    expect(server.received[0]?.mail.html?.trim()).toBe(html);
  });

  it('cannot be given a header, a recipient or a second message by what stands in its texts', async () => {
    const server = await start();
    const provider = connect(server);
    const evil = 'x\r\nBcc: victim@example.org\r\n\r\nbody\r\n.\r\nMAIL FROM:<a@b.c>\r\n';

    await provider.send(
      { subject: evil, text: 'a\r\n.\r\nMAIL FROM:<a@b.c>\r\n', html: '--=_key' },
      { email: 'jane@example.org', name: evil },
      attempt(),
    );
    const outcomes: Outcome[] = [];
    for (const email of [
      'a@b.c>\r\nRCPT TO:<victim@example.org',
      'a@b.c\r\nDATA',
      'a b@example.org',
      '<a@b.c>',
      'a@',
      '@b',
      'a@b@c',
      'a@b c',
      '',
      'no',
      'a@exa\u0000mple.org',
      'a\u2028@b.c',
    ]) {
      outcomes.push(await provider.send(MAIL, { email }, attempt()));
    }

    expect(server.received).toHaveLength(1);
    const [{ mail, session }] = server.received as [Received];
    expect(session.envelope.rcptTo.map(({ address }) => address)).toEqual(['jane@example.org']);
    expect(mail.headers.map(({ key }) => key)).toEqual(['from', 'to', 'subject', 'message-id', 'date', 'mime-version', 'content-type']);
    expect(mail.text).toBe('a\n.\nMAIL FROM:<a@b.c>\n');
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD' });
  });

  it('carries files', async () => {
    const server = await start();
    const content = Buffer.from([0, 1, 2, 13, 10, 46, 13, 10, 255]);

    await connect(server).send(
      { ...MAIL, subject: 'Ünïcode', attachments: [{ filename: 'Rëport.bin', contentType: 'application/octet-stream', content }] },
      { email: 'žofie@example.org', name: 'Ž' },
      attempt(),
    );

    const [{ mail }] = server.received as [Received];
    expect(mail).toMatchObject({ subject: 'Ünïcode', to: [{ name: 'Ž', address: 'žofie@example.org' }] });
    expect(mail.text?.trim()).toBe(MAIL.text.trim());
    expect(mail.attachments).toMatchObject([{ filename: 'Rëport.bin', mimeType: 'application/octet-stream' }]);
    expect(Buffer.from(mail.attachments[0]?.content as ArrayBuffer)).toEqual(content);
  });
});

describe('an answer', () => {
  const atEnd: [number, string, object][] = [
    [451, '4.3.0 try later', { kind: 'retry' }],
    [452, '4.3.1 full', { kind: 'retry', reasonCode: 'SOFT' }],
    [450, '4.2.2 mailbox full', { kind: 'retry', reasonCode: 'SOFT' }],
    [550, '5.7.1 no', { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD' }],
    [551, '5.1.6 moved', { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD' }],
    [553, '5.1.3 bad', { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD' }],
    [554, '5.2.1 disabled', { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD' }],
    [552, '5.2.2 over quota', { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'SOFT' }],
    [554, '5.6.0 spam', { kind: 'failed', cause: 'permanent', reason: 'PROVIDER_ERROR' }],
    [535, '5.7.8 who are you', { kind: 'failed', cause: 'configuration', reason: 'PROVIDER_ERROR' }],
  ];
  it.each(atEnd)('of %i %s at the end of the message is classified', async (code, text, expected) => {
    const server = await start({ hideENHANCEDSTATUSCODES: true }, () => refusal(code, text));
    const outcome = await connect(server).send(MAIL, { email: 'jane@example.org' }, attempt());
    expect(outcome).toMatchObject({ ...expected, error: `Mail server refused the message after its end: ${code} ${text}` });
  });

  it.each([true, false])(
    'that refuses one recipient leaves the connection fit for the next (pipelining hidden: %s)',
    async (hidePIPELINING) => {
      const server = await start({
        hidePIPELINING,
        onRcptTo: ({ address }, _session, done) =>
          done(address.startsWith('gone') ? refusal(550, 'no such user') : address.startsWith('grey') ? refusal(450, 'greylisted') : null),
      });
      const provider = connect(server, '&connections=1');

      const outcomes = [];
      for (const local of ['gone', 'jane', 'grey', 'gone', 'john'])
        outcomes.push(await provider.send(MAIL, { email: `${local}@example.org` }, attempt()));

      expect(outcomes).toMatchObject([
        {
          kind: 'failed',
          reason: 'BOUNCED',
          reasonCode: 'HARD',
          error: expect.stringMatching(/^Mail server refused the recipient: 550 .*no such user/),
        },
        { kind: 'accepted' },
        { kind: 'retry', error: expect.stringContaining('greylisted') },
        { kind: 'failed' },
        { kind: 'accepted' },
      ]);
      expect(server.received.map(({ mail }) => mail.to?.[0]?.address)).toEqual(['jane@example.org', 'john@example.org']);
      expect(server.connectionCount).toBe(1);
    },
  );

  it('that refuses the sender is our configuration, not the bounce of a recipient', async () => {
    const server = await start({ onMailFrom: (_address, _session, done) => done(refusal(550, 'sender not allowed')) });
    const outcome = await connect(server).send(MAIL, { email: 'jane@example.org' }, attempt());
    expect(outcome).toMatchObject({ kind: 'failed', cause: 'configuration', reason: 'PROVIDER_ERROR' });
  });

  it('is not even asked for when the mail is larger than the server takes', async () => {
    const server = await start({ size: 500 });
    const outcome = await connect(server).send({ ...MAIL, text: 'x\n'.repeat(1000) }, { email: 'jane@example.org' }, attempt());
    expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent', error: expect.stringContaining('500') });
  });
});

describe('a login', () => {
  const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _session, done) =>
    username === 'käthe@example.com' && password === 'p:@ß'
      ? done(null, { user: username })
      : done(new Error('Invalid username or password'));
  const right = `${encodeURIComponent('käthe@example.com')}:${encodeURIComponent('p:@ß')}@`;

  it.each(['PLAIN', 'LOGIN'])('by %s opens the way', async (method) => {
    const server = await start({ onAuth, authMethods: [method], authOptional: false });
    expect(await connect(server, '', right).send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
  });

  it.each(['PLAIN', 'LOGIN'])('by %s with a wrong password is a configuration failure for all who wait, after one try', async (method) => {
    let tries = 0;
    const server = await start({ authMethods: [method], authOptional: false, onAuth: (...args) => (tries++, onAuth(...args)) });
    const provider = connect(server, '', 'käthe%40example.com:wrong@');

    const outcomes = await Promise.all(Array.from({ length: 20 }, () => provider.send(MAIL, { email: 'jane@example.org' }, attempt())));

    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        kind: 'failed',
        cause: 'configuration',
        reason: 'PROVIDER_ERROR',
        error: expect.stringContaining('535'),
      });
    expect(JSON.stringify(outcomes)).not.toContain('wrong');
    expect(tries).toBe(1);
  });

  it('that the server does not offer is a configuration failure', async () => {
    const server = await start();
    expect(await connect(server, '', 'a:b@').send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
    });
  });
});

describe('TLS', () => {
  const tls = { disabledCommands: [] };

  it('is taken by STARTTLS when offered, whoever signed the certificate, unless it is required', async () => {
    const server = await start(tls);
    expect(await connect(server).send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
    expect(server.received[0]?.session.secure).toBe(true);
  });

  it('when required refuses a certificate nobody vouches for, and takes it with verify=off', async () => {
    const server = await start(tls);
    expect(await connect(server, '&tls=required').send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
      error: expect.stringContaining('certificate'),
    });
    expect(await connect(server, '&tls=required&verify=off').send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({
      kind: 'accepted',
    });
    expect(server.received.map(({ session }) => session.secure)).toEqual([true]);
  });

  it('when required ends the session of a server that does not offer it', async () => {
    const server = await start();
    expect(await connect(server, '&tls=required').send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
    });
    expect(server.received).toHaveLength(0);
  });

  it('is left out with tls=off', async () => {
    const server = await start(tls);
    await connect(server, '&tls=off').send(MAIL, { email: 'jane@example.org' }, attempt());
    expect(server.received[0]?.session.secure).toBe(false);
  });

  it('from the first byte is what smtps means', async () => {
    const server = await start({ ...tls, secure: true });
    const settings = parseSmtpUrl(`smtps://127.0.0.1:${server.port}?verify=off`);
    const provider = new SmtpProvider(settings);
    cleanUps.push(() => provider.close());
    expect(await provider.send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
    expect(await new SmtpProvider({ ...settings, verify: true }).send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
    });
  });
});

describe('connections', () => {
  it('are few, kept, and shared by many mails at once', async () => {
    const server = await start();
    const provider = connect(server, '&connections=5');

    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, i) => provider.send({ ...MAIL, subject: `n${i}` }, { email: `u${i}@example.org` }, attempt())),
    );

    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(200);
    expect(new Set(server.received.map(({ mail }) => mail.subject)).size).toBe(200);
    for (const { mail } of server.received) expect(mail.to?.[0]?.address).toBe(`u${mail.subject?.slice(1)}@example.org`);
    expect(server.connectionCount).toBeLessThanOrEqual(5);
  });

  it('are not made before they are needed, and not kept when idle', async () => {
    const server = await start();
    const provider = connect(server, '', '', { idleMs: 50 });
    for (let i = 0; i < 3; i++) await provider.send(MAIL, { email: 'jane@example.org' }, attempt());
    expect(server.connectionCount).toBe(1);
    await until(() => server.openConnections.size === 0);
    expect(await provider.send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
    expect(server.connectionCount).toBe(2);
  });

  it('that died with a restarted server are replaced within the call', async () => {
    const server = await start();
    const provider = connect(server, '&connections=3');
    await Promise.all([1, 2, 3].map(() => provider.send(MAIL, { email: 'jane@example.org' }, attempt())));

    await server.stop();
    await server.start();
    const outcomes = await Promise.all([1, 2, 3].map(() => provider.send(MAIL, { email: 'jane@example.org' }, attempt())));

    expect(outcomes).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }, { kind: 'accepted' }]);
    expect(server.received).toHaveLength(6);
  });

  it('to a server that is away end in a retry, and work once it is there', async () => {
    const server = await start();
    const provider = connect(server);
    await server.stop();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => provider.send(MAIL, { email: 'jane@example.org' }, attempt())));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'retry', error: expect.stringContaining('ECONNREFUSED') });

    await server.start();
    expect(await provider.send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
  });

  it('are closed after the calls that are open, and no call begins later', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let atServer = false;
    const server = await start({
      onRcptTo: (_address, _session, done) => {
        atServer = true;
        void held.then(() => done());
      },
    });
    const provider = connect(server);
    const open = provider.send(MAIL, { email: 'jane@example.org' }, attempt());
    await until(() => atServer);

    let closed = false;
    const closing = provider.close().then(() => (closed = true));
    expect(await provider.send(MAIL, { email: 'john@example.org' }, attempt())).toMatchObject({ kind: 'retry' });
    expect(closed).toBe(false);
    release();

    expect(await open).toMatchObject({ kind: 'accepted' });
    await closing;
    await until(() => server.openConnections.size === 0);
    expect(server.received).toHaveLength(1);
  });
});
