import { createTransport } from 'nodemailer';
import { CapturingSmtp, type CapturingSmtpOptions, EVERYBODY } from './capturing-smtp';

describe('the capturing SMTP server', () => {
  const opened: CapturingSmtp[] = [];

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((smtp) => smtp.close()));
  });

  async function start(options: CapturingSmtpOptions = {}) {
    const smtp = await CapturingSmtp.start(options);
    opened.push(smtp);
    return smtp;
  }

  function send(smtp: CapturingSmtp, to: string, fields: { subject?: string; messageId?: string } = {}) {
    const transport = createTransport(`${smtp.url}/?tls.rejectUnauthorized=false`, { from: 'tidings@example.com' });
    return transport.sendMail({ to, subject: 'Hello', text: 'Ada ✓', ...fields });
  }

  it('stores received mails', async () => {
    const smtp = await start();

    await send(smtp, 'ada@example.com', { subject: 'Grüße' });
    const [mail] = await smtp.waitForMailsTo('Ada@example.com');

    expect(mail!.envelope).toEqual({ from: 'tidings@example.com', to: ['ada@example.com'] });
    await expect(mail!.parse()).resolves.toMatchObject({ subject: 'Grüße', text: 'Ada ✓\n' });
  });

  it('counts the copies of a Message-ID', async () => {
    const smtp = await start({ withoutContent: true });

    for (const messageId of ['<twice@x>', '<once@x>', '<twice@x>']) await send(smtp, 'ada@example.com', { messageId });

    expect(Object.fromEntries(smtp.copies())).toEqual({ '<twice@x>': 2, '<once@x>': 1 });
  });

  it('answers 451 the configured number of times, then accepts the mail', async () => {
    const smtp = await start();
    smtp.treat('ada@example.com', { deferFirst: 1 });

    await expect(send(smtp, 'ada@example.com')).rejects.toMatchObject({ responseCode: 451 });
    await send(smtp, 'ada@example.com');

    expect(smtp.arrivals.map(({ ending }) => ending)).toEqual(['deferred', 'accepted']);
    expect(smtp.mails).toHaveLength(1);
  });

  it('refuses one recipient and accepts another', async () => {
    const smtp = await start();
    smtp.treat('unknown@example.com', { refuse: true });

    await expect(send(smtp, 'unknown@example.com')).rejects.toMatchObject({ responseCode: 550 });
    await send(smtp, 'ada@example.com');

    expect(smtp.mailsTo('unknown@example.com')).toEqual([]);
    expect(smtp.mailsTo('ada@example.com')).toHaveLength(1);
  });

  it('accepts a mail and cuts the connection before the answer', async () => {
    const smtp = await start();
    smtp.treat(EVERYBODY, { dropFirst: 1 });

    await expect(send(smtp, 'ada@example.com', { messageId: '<lost@x>' })).rejects.toThrow();
    await send(smtp, 'ada@example.com', { messageId: '<lost@x>' });

    expect(smtp.copies().get('<lost@x>')).toBe(2);
  });

  it('leaves a mail unanswered until it is closed', async () => {
    const smtp = await start();
    smtp.treat('ada@example.com', { hang: true });

    const sending = expect(send(smtp, 'ada@example.com')).rejects.toThrow();
    await smtp.waitForMailsTo('ada@example.com');
    await smtp.close();

    await sending;
  });

  it('delays its answer as configured', async () => {
    const smtp = await start();
    smtp.treat('ada@example.com', { slowMs: 150 });

    const startedAt = performance.now();
    await send(smtp, 'ada@example.com');

    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(149);
  });

  it('delays an answer until a promise resolves, with the mail accepted', async () => {
    const smtp = await start();
    let [isAnswered, release] = [false, (): void => undefined];
    smtp.treat('ada@example.com', { heldUntil: new Promise<void>((resolve) => (release = resolve)) });

    const sending = send(smtp, 'ada@example.com').then(() => (isAnswered = true));
    await smtp.waitForMailsTo('ada@example.com');
    await send(smtp, 'bob@example.com'); // other mails are answered meanwhile
    expect(isAnswered).toBe(false);
    release();

    await sending;
  });

  it.each(['starttls', 'implicit'] as const)('accepts mail over TLS (%s) only from its account', async (tls) => {
    const account = { user: 'ada', password: 'p@ss:word' };
    const smtp = await start({ tls, account });

    await send(smtp, 'ada@example.com');
    const { port } = smtp;
    const stranger = createTransport({ port, host: '127.0.0.1', secure: tls === 'implicit', tls: { rejectUnauthorized: false } });

    await expect(stranger.sendMail({ from: 'a@example.com', to: 'b@example.com', text: '-' })).rejects.toMatchObject({ responseCode: 530 });
    expect(smtp.mails).toHaveLength(1);
  });
});
