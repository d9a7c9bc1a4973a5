import type { Outcome } from '../provider';
import { attempt, cleanUp, connect, MAIL, type Received, start } from './smtp-server.fixture';

afterEach(cleanUp);

describe('a mail', () => {
  it('arrives as rendered and counts as delivered with the reply of the server', async () => {
    const server = await start();

    const outcome = await connect(server).send(
      { ...MAIL, replyTo: 'Help <help@example.com>' },
      { email: 'jane@example.org', name: 'Jane Doe' },
      attempt({ idempotencyKey: 'abc' }),
    );

    expect(outcome).toMatchObject({
      kind: 'accepted',
      delivered: true,
      reference: { reply: expect.stringMatching(/^250 /) as string, message_id: '<abc@example.com>' },
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

  it('has the same bytes when its attempt is repeated', async () => {
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

  it('preserves text beyond ASCII in subject, names and body, encoded with 7 bits', async () => {
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

  it.each([[undefined], [[{ filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('x') }]]])(
    'goes to a quoted local part as it is (files: %j)',
    async (attachments) => {
      const server = await start();
      const email = '"jane,doe"@example.org';

      expect(await connect(server).send({ ...MAIL, attachments }, { email }, attempt())).toMatchObject({ kind: 'accepted' });
      expect(server.received[0]!.session.envelope.rcptTo[0]!.address).toBe(email);
      expect(server.received[0]!.raw).toMatch(/^To: <?"jane,doe"@example\.org>?\r$/m);
    },
  );

  it('goes to addresses beyond ASCII: the domain as punycode, the local part by SMTPUTF8', async () => {
    const server = await start();
    const provider = connect(server);

    await provider.send(MAIL, { email: 'jane@münchen.example' }, attempt());
    await provider.send(MAIL, { email: 'žofie@münchen.example' }, attempt());

    // smtp-server decodes punycode for its hooks, so the envelope shows the domain in Unicode.
    expect(server.received.map(({ session }) => session.envelope.rcptTo[0]?.address)).toEqual([
      'jane@münchen.example',
      'žofie@münchen.example',
    ]);
    expect(server.received[0]?.raw).toContain('To: jane@xn--mnchen-3ya.example\r\n');
    expect(Buffer.from(server.received[1]?.raw ?? '', 'latin1').toString()).toContain('To: žofie@xn--mnchen-3ya.example\r\n');
  });

  it('fails permanently where the server does not accept an address beyond ASCII', async () => {
    const server = await start({ hideSMTPUTF8: true });
    const outcome = await connect(server).send(MAIL, { email: 'žofie@example.org' }, attempt());
    expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent', error: expect.stringContaining('SMTPUTF8') as string });
  });

  it('preserves lines that begin with dots, lines longer than SMTP allows, and every kind of line end', async () => {
    const server = await start();
    const text = `.\n..\n.hidden\nlong ${'x'.repeat(5000)}\nmac\rwindows\r\nFrom here\n`;
    const html = `<pre>\n.\n</pre>`;

    await connect(server).send({ subject: 'dots', text, html }, { email: 'jane@example.org' }, attempt());
    await connect(server).send({ subject: 'dots', text: '.\n.' }, { email: 'jane@example.org' }, attempt());

    expect(server.received.map(({ mail }) => mail.text)).toEqual([text.replace(/\r\n?/g, '\n'), '.\n.\n']);
    expect(server.received[0]?.mail.html?.trim()).toBe(html);
  });

  it('gets no header, recipient or second message from its texts', async () => {
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
