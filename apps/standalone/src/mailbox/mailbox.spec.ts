import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Logger } from '@nestjs/common';
import { operatorsSmtp } from '@tidings/messaging/process-module';
import { SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { waitUntil } from '@tidings/testing/wait-until';
import { MailFiles } from './mail-files';
import { Mailbox } from './mailbox';
import { cleanUps, start } from './mailbox.fixture';
import { showMailbox } from './mailbox-page';

describe('the development mailbox', () => {
  it('is a mail server with a sender, which smtp providers of workspaces do not take over', async () => {
    const { mailbox } = await start();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    cleanUps.push(() => warn.mockRestore());

    const settings = operatorsSmtp(mailbox.operatorsUrl);

    expect(warn).not.toHaveBeenCalled();
    expect(settings).toMatchObject({ port: mailbox.port, from: { address: 'notifications@tidings.localhost' } });
    expect(new SmtpProvider(settings).sender).toBeUndefined();
    expect(new SmtpProvider(operatorsSmtp('smtp://mail.example.com?from=shop@example.com')).sender?.address).toBe('shop@example.com');
  });

  it('stores received mails, newest first', async () => {
    let ms = Date.parse('2026-03-01T10:00:00Z');
    const { mailbox, send } = await start({ clock: { now: () => new Date((ms += 1000)) } });

    await send({ subject: 'Eins', text: 'first' });
    await send({
      subject: 'Zwei – zwölf',
      to: ['jane@example.org', 'Bob <bob@example.org>'],
      bcc: 'eve@example.org',
      text: 'größer',
      html: '<b>größer</b>',
      messageId: '<a@b.c>',
    });

    expect(await mailbox.list()).toMatchObject([
      {
        id: '2',
        from: 'shop@example.com',
        to: ['jane@example.org', 'bob@example.org', 'eve@example.org'],
        subject: 'Zwei – zwölf',
        received_at: '2026-03-01T10:00:02.000Z',
        message_id: '<a@b.c>',
        text: expect.stringContaining('größer') as string,
        html: expect.stringContaining('<b>größer</b>') as string,
      },
      { id: '1', subject: 'Eins', to: ['jane@example.org'], html: '' },
    ]);
    expect((await mailbox.list(1)).map(({ id }) => id)).toEqual(['2']);
    expect((await mailbox.get('1'))?.raw).toMatch(/^Subject: Eins\r$/m);
    expect(await mailbox.get('3')).toBeUndefined();
  });

  it('erases the mails to an address, copies included, and leaves the others', async () => {
    const { mailbox, send } = await start();
    await send({ subject: 'To', to: 'Ada@example.org' });
    await send({ subject: 'Copy', to: 'bob@example.org', bcc: 'ada@example.org' });
    await send({ subject: 'Other', to: 'bob@example.org' });

    expect(await mailbox.erase(['ada@EXAMPLE.org'])).toBe(2);

    expect((await mailbox.list()).map(({ subject }) => subject)).toEqual(['Other']);
    expect(await mailbox.erase(['ada@example.org'])).toBe(0);
  });

  it('removes the oldest mails beyond its limits of number and size', async () => {
    const few = await start({ mailsMax: 3 });
    for (let i = 1; i <= 5; i++) await few.send({ subject: `n${i}` });
    expect((await few.mailbox.list()).map(({ subject }) => subject)).toEqual(['n5', 'n4', 'n3']);

    const small = await start({ bytesMax: 10_000 });
    await small.send({ subject: 'small', text: 'x' });
    await small.send({ subject: 'larger', text: 'x\n'.repeat(4_000) });
    await small.send({ subject: 'huge', text: 'x\n'.repeat(40_000) });
    expect((await small.mailbox.list()).map(({ subject }) => subject)).toEqual(['huge']);
  });

  it('accepts many mails at once, pipelined', async () => {
    const { mailbox, send } = await start();
    await Promise.all(Array.from({ length: 100 }, (_, i) => send({ subject: `n${i}` })));
    expect(new Set((await mailbox.list()).map(({ subject }) => subject)).size).toBe(100);

    const greeting = await new Promise<string>((resolve, reject) => {
      const socket = createConnection(mailbox.port, '127.0.0.1');
      let text = '';
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (/^220 [^\n]*\n$/.test(text)) socket.write('EHLO me\r\n');
        else if (/^250 /m.test(text)) {
          socket.destroy();
          resolve(text);
        }
      });
    });
    expect(greeting).toContain('PIPELINING');
    expect(greeting).not.toMatch(/STARTTLS|AUTH/);
  });

  it('fails to start with EADDRINUSE when its port is in use', async () => {
    const { mailbox } = await start();
    await expect(Mailbox.start({ port: mailbox.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('accepts malformed mails', async () => {
    const { mailbox, send } = await start();
    for (const raw of [
      '',
      '\0\0',
      'no header',
      'Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n--x\r\n',
      'Subject: =?utf-8?B?!!?=\r\n\r\n\xff',
      // Deeper than the parser goes.
      Array.from({ length: 300 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join(''),
    ]) {
      await send({ envelope: { from: 'a@b.c', to: 'd@e.f' }, raw: `${raw}\r\n` });
    }
    expect(await mailbox.list()).toHaveLength(6);
  });
});

describe('a mailbox with a directory', () => {
  function directoryOfMails(): string {
    const directory = mkdtempSync(path.join(tmpdir(), 'tidings-mailbox-'));
    cleanUps.push(() => rmSync(directory, { recursive: true, force: true }));
    return path.join(directory, 'mailbox');
  }

  it('restores its mails after a restart, and continues the ids', async () => {
    const directory = directoryOfMails();
    const before = await start({ directory });
    await before.send({ subject: 'Eins', to: ['a@b.c', 'd@e.f'], html: '<b>größer</b>' });
    await before.send({ subject: 'Zwei', text: 'second' });
    const [mails, first] = [await before.mailbox.list(), await before.mailbox.get('1')];
    await before.mailbox.close();

    const after = await start({ directory });
    expect(mails).toHaveLength(2);
    expect(await after.mailbox.list()).toEqual(mails);
    expect(await after.mailbox.get('1')).toEqual(first);
    await after.send({ subject: 'Drei' });
    expect((await after.mailbox.list()).map(({ id, subject }) => [id, subject])).toEqual([
      ['3', 'Drei'],
      ['2', 'Zwei'],
      ['1', 'Eins'],
    ]);
  });

  it('has mails received at once in the order of their ids, though the first is written last', async () => {
    const { mailbox, send } = await start({ directory: directoryOfMails() });
    const write = jest.spyOn(MailFiles.prototype, 'write');
    cleanUps.push(() => write.mockRestore());
    let finishFirst: () => void = () => undefined;
    write.mockImplementationOnce(() => new Promise((resolve) => (finishFirst = resolve)));

    const first = send({ subject: 'n1' });
    await waitUntil(() => write.mock.calls.length > 0);
    await send({ subject: 'n2' });
    finishFirst();
    await first;

    expect((await mailbox.list()).map(({ id }) => id)).toEqual(['2', '1']);
  });

  it('has no mail and no file once it is emptied, also of a mail whose file is being written', async () => {
    const directory = directoryOfMails();
    const { mailbox, send } = await start({ directory });
    await send({ subject: 'n1' });
    const write = jest.spyOn(MailFiles.prototype, 'write');
    cleanUps.push(() => write.mockRestore());
    let allowWrite: () => void = () => undefined;
    const allowed = new Promise<void>((resolve) => (allowWrite = resolve));
    write.mockImplementationOnce(async function (this: MailFiles, mail) {
      await allowed;
      return this.write(mail);
    });

    const second = send({ subject: 'n2' });
    await waitUntil(() => write.mock.calls.length > 0);
    await mailbox.empty();
    allowWrite();
    await second;

    expect(await mailbox.list()).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
    await send({ subject: 'n3' });
    expect((await mailbox.list()).map(({ id }) => id)).toEqual(['3']);
  });

  it('does not show a mail whose file cannot be written', async () => {
    const { mailbox, send } = await start({ directory: directoryOfMails() });
    const write = jest.spyOn(MailFiles.prototype, 'write').mockRejectedValueOnce(new Error('no space left'));
    cleanUps.push(() => write.mockRestore());

    await expect(send({ subject: 'n1' })).rejects.toThrow('no space left');
    await send({ subject: 'n2' });

    expect((await mailbox.list()).map(({ subject }) => subject)).toEqual(['n2']);
  });

  it('has one file per mail, readable by its owner only', async () => {
    const directory = directoryOfMails();
    const { mailbox, send } = await start({ directory, mailsMax: 3 });
    await Promise.all(Array.from({ length: 20 }, (_, i) => send({ subject: `n${i}` })));

    const ids = (await mailbox.list()).map(({ id }) => `${id}.json`);
    expect(readdirSync(directory).sort()).toEqual(ids.sort());
    expect([directory, path.join(directory, ids[0]!)].map((file) => statSync(file).mode & 0o777)).toEqual([0o700, 0o600]);
    await mailbox.close();
    expect(await (await start({ directory, mailsMax: 2 })).mailbox.list()).toHaveLength(2);
    expect(readdirSync(directory)).toHaveLength(2);
  });

  it('removes damaged mail files at the start, and ignores other files', async () => {
    const directory = directoryOfMails();
    const { mailbox, send } = await start({ directory });
    await send({ subject: 'whole' });
    await mailbox.close();
    writeFileSync(path.join(directory, '2.json'), '{"from":"a@b');
    writeFileSync(path.join(directory, 'notes.txt'), 'mine');

    expect((await (await start({ directory })).mailbox.list()).map(({ subject }) => subject)).toEqual(['whole']);
    expect(readdirSync(directory).sort()).toEqual(['1.json', 'notes.txt']);
  });
});

describe('the mailbox page', () => {
  const evil = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>';

  it('is HTML for browsers and JSON for other clients', async () => {
    const { mailbox, send } = await start();
    expect((await showMailbox(mailbox, { accept: 'text/html' })).body).toContain(mailbox.url);
    await send({ subject: 'Hello', text: 'Hi there' });

    const list = await showMailbox(mailbox, { accept: 'text/html,application/xhtml+xml' });
    expect(list.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(list.body).toContain('<a href="/dev/mailbox/1">Hello</a>');
    expect((await showMailbox(mailbox, { id: '1', accept: 'text/html' })).body).toContain('Hi there');

    const asJson = await showMailbox(mailbox, { accept: '*/*' });
    expect(asJson.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(asJson.body)).toMatchObject({ results: [{ id: '1', subject: 'Hello' }] });
    expect(JSON.parse((await showMailbox(mailbox, { id: '1' })).body)).toMatchObject({
      subject: 'Hello',
      raw: expect.stringContaining('Subject: Hello') as string,
    });
    await expect(showMailbox(mailbox, { id: '__proto__' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('runs no script of a mail', async () => {
    const { mailbox, send } = await start();
    const attachments = [{ filename: evil, content: evil, contentType: `text/html; charset="${evil}"` }];
    const names = {
      from: { name: evil, address: 'a@b.c' },
      cc: { name: evil, address: 'a@b.c' },
      replyTo: { name: evil, address: 'a@b.c' },
    };
    await send({ ...names, subject: evil, text: evil, html: `<p>ok</p>${evil}`, messageId: `<${evil}>`, attachments });

    for (const id of [undefined, '1']) {
      const { body, headers } = await showMailbox(mailbox, { id, accept: 'text/html' });
      expect(body).not.toMatch(/<script>alert|<img|<b>/);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
    const { body } = await showMailbox(mailbox, { id: '1', accept: 'text/html' });
    expect(body).toMatch(/<iframe sandbox="" [^>]*srcdoc="&lt;p&gt;ok&lt;\/p&gt;/);
    expect(body.match(/<iframe/g)).toHaveLength(1);
  });
});
