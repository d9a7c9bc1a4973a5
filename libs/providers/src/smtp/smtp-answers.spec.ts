import type { SMTPServerOptions } from 'smtp-server';
import { SmtpProvider } from './smtp-provider';
import { attempt, cleanUp, cleanUps, connect, MAIL, mailerOf, refusal, start } from './smtp-server.fixture';
import { parseSmtpUrl } from './smtp-settings';

afterEach(cleanUp);

describe('an answer', () => {
  const atEnd: [number, string, object][] = [
    [451, '4.3.0 try later', { kind: 'retry' }],
    [452, '4.3.1 full', { kind: 'retry', reasonCode: 'SOFT' }],
    [450, '4.2.2 mailbox full', { kind: 'retry', reasonCode: 'SOFT' }],
    [550, '5.7.1 no', { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD', isOfMail: true }],
    [550, 'spam', { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD', isOfMail: true }],
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
    expect({ isOfMail: undefined, ...outcome }).toMatchObject({
      isOfMail: undefined,
      ...expected,
      error: `Mail server refused the message after its end: ${code} ${text}`,
    });
  });

  it.each([true, false])(
    'that refuses one recipient leaves the connection usable for the next (pipelining hidden: %s)',
    async (hidePIPELINING) => {
      const server = await start({
        hidePIPELINING,
        onRcptTo: ({ address }, _session, done) =>
          done(
            address.startsWith('unknown') ? refusal(550, 'no such user') : address.startsWith('grey') ? refusal(450, 'greylisted') : null,
          ),
      });
      const provider = connect(server, '&connections=1');

      const outcomes = [];
      for (const local of ['unknown', 'jane', 'grey', 'unknown', 'john'])
        outcomes.push(await provider.send(MAIL, { email: `${local}@example.org` }, attempt()));

      expect(outcomes).toMatchObject([
        {
          kind: 'failed',
          reason: 'BOUNCED',
          reasonCode: 'HARD',
          error: expect.stringMatching(/^Mail server refused the recipient: 550 .*no such user/) as string,
        },
        { kind: 'accepted' },
        { kind: 'retry', error: expect.stringContaining('greylisted') as string },
        { kind: 'failed' },
        { kind: 'accepted' },
      ]);
      expect(server.received.map(({ mail }) => mail.to?.[0]?.address)).toEqual(['jane@example.org', 'john@example.org']);
      expect(server.connectionCount).toBe(1);
    },
  );

  const hard = { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD' };
  const notOfRecipient = { kind: 'failed', cause: 'permanent', reason: 'PROVIDER_ERROR' };
  it.each<[number, string, object]>([
    [501, 'bad address syntax', hard],
    [501, '5.1.3 bad address syntax', hard],
    [513, 'bad address', hard],
    [553, 'mailbox name not allowed', hard],
    [501, '5.5.4 invalid arguments', notOfRecipient],
    [500, 'what', notOfRecipient],
  ])('of %i %s to the recipient is classified', async (code, text, expected) => {
    const server = await start({ hideENHANCEDSTATUSCODES: true, onRcptTo: (_address, _session, done) => done(refusal(code, text)) });

    expect(await connect(server).send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject(expected);
  });

  it('of 501 to the message does not concern the recipient', async () => {
    const server = await start({ hideENHANCEDSTATUSCODES: true }, () => refusal(501, 'what'));

    expect(await connect(server).send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject(notOfRecipient);
  });

  it('that refuses the sender is a configuration failure, not a bounce', async () => {
    const server = await start({ onMailFrom: (_address, _session, done) => done(refusal(550, 'sender not allowed')) });
    const outcome = await connect(server).send(MAIL, { email: 'jane@example.org' }, attempt());
    expect(outcome).toMatchObject({ kind: 'failed', cause: 'configuration', reason: 'PROVIDER_ERROR' });
  });

  it('is not awaited for a mail above the size limit of the server', async () => {
    const server = await start({ size: 500 });
    const outcome = await connect(server).send({ ...MAIL, text: 'x\n'.repeat(1000) }, { email: 'jane@example.org' }, attempt());
    expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent', error: expect.stringContaining('500') as string });
  });
});

describe('a login', () => {
  const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _session, done) =>
    username === 'käthe@example.com' && password === 'p:@ß'
      ? done(null, { user: username })
      : done(new Error('Invalid username or password'));
  const credentials = `${encodeURIComponent('käthe@example.com')}:${encodeURIComponent('p:@ß')}@`;

  it.each(['PLAIN', 'LOGIN'])('by %s is accepted', async (method) => {
    const server = await start({ onAuth, authMethods: [method], authOptional: false });
    expect(await connect(server, '', credentials).send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
  });

  it.each(['PLAIN', 'LOGIN'])(
    'by %s with a wrong password is a configuration failure for all waiting calls, after one attempt',
    async (method) => {
      let logins = 0;
      const server = await start({ authMethods: [method], authOptional: false, onAuth: (...args) => (logins++, onAuth(...args)) });
      const provider = connect(server, '', 'käthe%40example.com:wrong@');

      const outcomes = await Promise.all(Array.from({ length: 20 }, () => provider.send(MAIL, { email: 'jane@example.org' }, attempt())));

      for (const outcome of outcomes)
        expect(outcome).toMatchObject({
          kind: 'failed',
          cause: 'configuration',
          reason: 'PROVIDER_ERROR',
          error: expect.stringContaining('535') as string,
        });
      expect(JSON.stringify(outcomes)).not.toContain('wrong');
      expect(logins).toBe(1);
    },
  );

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

  it('is used by STARTTLS when offered, with any certificate, unless it is required', async () => {
    const server = await start(tls);
    expect(await connect(server).send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
    expect(server.received[0]?.session.secure).toBe(true);
  });

  it('refuses an untrusted certificate when required, and accepts it with verify=off', async () => {
    const server = await start(tls);
    expect(await connect(server, '&tls=required').send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
      error: expect.stringContaining('certificate') as string,
    });
    expect(await connect(server, '&tls=required&verify=off').send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({
      kind: 'accepted',
    });
    expect(server.received.map(({ session }) => session.secure)).toEqual([true]);
  });

  it('ends the session with a server that does not offer it when required', async () => {
    const server = await start();
    expect(await connect(server, '&tls=required').send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
    });
    expect(server.received).toHaveLength(0);
  });

  it('is not used with tls=off', async () => {
    const server = await start(tls);
    await connect(server, '&tls=off').send(MAIL, { email: 'jane@example.org' }, attempt());
    expect(server.received[0]?.session.secure).toBe(false);
  });

  it('starts with the first byte for smtps', async () => {
    const server = await start({ ...tls, secure: true });
    const settings = parseSmtpUrl(`smtps://127.0.0.1:${server.port}?verify=off`);
    const provider = mailerOf(new SmtpProvider(settings));
    cleanUps.push(() => provider.close());
    expect(await provider.send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
    expect(
      await mailerOf(new SmtpProvider({ ...settings, verify: true })).send(MAIL, { email: 'jane@example.org' }, attempt()),
    ).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
    });
  });
});
