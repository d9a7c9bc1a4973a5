import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { RemoteMails } from '@tidings/messaging/erasure/remote-mails';
import Fastify, { type FastifyInstance } from 'fastify';
import { cleanUps, start } from './mailbox.fixture';
import { mountErasure, mountMailbox, showMailbox } from './mailbox-page';

describe('the mailbox over HTTP', () => {
  async function serve() {
    const { mailbox, send } = await start();
    const server = Fastify();
    cleanUps.push(() => server.close());
    mountMailbox(server, mailbox);
    return { mailbox, send, server };
  }

  it('shows sender, cc, reply-to and attachments', async () => {
    const { mailbox, send } = await start();
    await send({
      from: 'Shop & Söhne <shop@example.com>',
      cc: ['Bob <bob@example.org>', 'eve@example.org'],
      replyTo: 'Help <help@example.com>',
      attachments: [{ filename: 'Rechnung März.pdf', content: Buffer.from([0, 255, 10]), contentType: 'application/pdf' }],
    });

    expect(JSON.parse((await showMailbox(mailbox, { id: '1' })).body)).toMatchObject({
      from: 'shop@example.com',
      from_header: 'Shop & Söhne <shop@example.com>',
      cc: ['Bob <bob@example.org>', 'eve@example.org'],
      reply_to: ['Help <help@example.com>'],
      attachments: [{ number: 1, name: 'Rechnung März.pdf', type: 'application/pdf', size: 3, url: '/dev/mailbox/1/attachments/1' }],
    });
    const { body } = await showMailbox(mailbox, { id: '1', accept: 'text/html' });
    expect(body).toContain('<th>From</th><td>Shop &amp; Söhne &lt;shop@example.com&gt;</td>');
    expect(body).toContain('<th>Cc</th><td>Bob &lt;bob@example.org&gt;, eve@example.org</td>');
    expect(body).toContain('<th>Reply-To</th><td>Help &lt;help@example.com&gt;</td>');
    expect(body).toContain('<a href="/dev/mailbox/1/attachments/1">Rechnung März.pdf</a></td><td>application/pdf</td><td>3 bytes</td>');
  });

  it('erases the mails to some addresses for the messaging of another process', async () => {
    const { mailbox, send, server } = await serve();
    mountErasure(server, mailbox);
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    for (const to of ['ada@example.com', 'bob@example.com', 'Ada@example.com']) await send({ to });
    const erase = (body: object, headers?: Record<string, string>) =>
      server.inject({ method: 'POST', url: '/dev/mailbox/erase', payload: body, headers });

    expect(await erase({ addresses: ['bob@example.com'] }, { origin: 'https://other.example' })).toMatchObject({ statusCode: 500 });
    expect(await erase({ addresses: ['bob@example.com'] }, { 'x-forwarded-for': '192.0.2.1' })).toMatchObject({ statusCode: 500 });
    expect(await new RemoteMails(url).erase(['ada@example.com'])).toBe(2);

    expect((await mailbox.list()).map(({ to }) => to)).toEqual([['bob@example.com']]);
    await server.close();
    await expect(new RemoteMails(url).erase(['bob@example.com'])).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('serves attachments as downloads that a browser does not show', async () => {
    const { send, server } = await serve();
    const content = Buffer.from('<script>alert(1)</script>\xff', 'latin1');
    await send({
      attachments: [
        { filename: 'a.html', content, contentType: 'text/html' },
        { filename: '../"x"\u202e\u00e9;.svg', content, contentType: 'image/svg+xml' },
        { filename: false, content, contentType: 'image/svg+xml', contentDisposition: 'inline' },
      ],
    });

    const [first, second, third] = await Promise.all([1, 2, 3].map((number) => server.inject(`/dev/mailbox/1/attachments/${number}`)));

    expect(first!.rawPayload).toEqual(content);
    expect(first!.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="a.html"; filename*=UTF-8''a.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
    });
    expect(second!.headers['content-disposition']).toBe(`attachment; filename="..__x___;.svg"; filename*=UTF-8''.._%22x%22_%C3%A9%3B.svg`);
    expect(third!.headers['content-disposition']).toMatch(/^attachment; filename="attachment-3"/);
    for (const unknown of ['1/attachments/4', '1/attachments/0', '1/attachments/x', '2/attachments/1', '__proto__/attachments/1']) {
      expect((await server.inject(`/dev/mailbox/${unknown}`)).json()).toMatchObject({ code: 'not_found' });
    }
  });

  it('is emptied by DELETE, but not by a page of another site', async () => {
    const { mailbox, send, server } = await serve();
    await send({ subject: 'n1' });
    const remove = (headers: Record<string, string>, remoteAddress?: string) =>
      server.inject({ method: 'DELETE', url: '/dev/mailbox', headers: { host: 'localhost:8080', ...headers }, remoteAddress });

    expect((await remove({ origin: 'http://evil.example' })).json()).toMatchObject({ code: 'forbidden' });
    expect((await remove({ host: 'evil.example' })).json()).toMatchObject({ code: 'not_found' });
    expect((await remove({}, '192.0.2.1')).json()).toMatchObject({ code: 'not_found' });
    expect(await mailbox.list()).toHaveLength(1);

    expect((await remove({})).statusCode).toBe(204);
    expect(await mailbox.list()).toEqual([]);
    expect((await remove({ origin: 'http://localhost:8080' })).statusCode).toBe(204);
  });

  it.each(['Forwarded', 'X-Forwarded-For', 'x-forwarded-host', 'X-Forwarded-Proto', 'Via'])('refuses requests with %s', async (header) => {
    const { send, server } = await serve();
    await send({ subject: 'n1' });

    for (const path of ['', '/1', '/1/attachments/1'])
      expect((await server.inject({ url: `/dev/mailbox${path}`, headers: { [header]: 'x' } })).json()).toMatchObject({ code: 'not_found' });
    expect((await server.inject('/dev/mailbox/1')).statusCode).toBe(200);
  });

  describe('the button of its list', () => {
    const PATH = '/dev/mailbox';

    /** Loads the list, and runs its script with a browser's functions; resolves when the click is handled. */
    async function click(server: FastifyInstance, { isConfirmed, origin }: { isConfirmed: boolean; origin: string }) {
      const { body, headers } = await server.inject({ url: PATH, headers: { accept: 'text/html' } });
      const [, script] = /<script>([\s\S]*)<\/script>/.exec(body)!;
      expect(body).toContain('<button id="empty" type="button">');
      expect(headers['content-security-policy']).toContain(
        `script-src 'sha256-${createHash('sha256').update(script!).digest('base64')}'; connect-src 'self'`,
      );
      let onClick: () => Promise<void> = () => Promise.reject(new Error('The button has no listener'));
      const button = { disabled: false, addEventListener: (_type: string, listener: typeof onClick) => void (onClick = listener) };
      const shown: string[] = [];
      const browser = {
        document: { querySelector: (selector: string) => (selector === '#empty' ? button : null) },
        confirm: () => isConfirmed,
        fetch: async (url: string, { method }: { method: 'DELETE' }) => {
          const { statusCode: status } = await server.inject({ method, url, headers: { origin, host: 'localhost:80' } });
          return { ok: status < 300, status };
        },
        location: { reload: () => void shown.push('reloaded') },
        alert: (text: string) => void shown.push(text),
      };
      runInNewContext(script!, browser);
      await onClick();
      return shown;
    }

    it('empties it after a confirmation', async () => {
      const { mailbox, send, server } = await serve();
      await send({ subject: 'n1' });

      expect(await click(server, { isConfirmed: false, origin: 'http://localhost:80' })).toEqual([]);
      expect(await mailbox.list()).toHaveLength(1);
      expect(await click(server, { isConfirmed: true, origin: 'http://evil.example' })).toEqual([
        'The mails are not removed: the answer is 500',
      ]);
      expect(await mailbox.list()).toHaveLength(1);

      expect(await click(server, { isConfirmed: true, origin: 'http://localhost:80' })).toEqual(['reloaded']);
      expect(await mailbox.list()).toEqual([]);
    });

    it('is the only script: the page of a mail has none', async () => {
      const { send, server } = await serve();
      await send({ subject: '<script>alert(1)</script>' });
      const list = await server.inject({ url: PATH, headers: { accept: 'text/html' } });
      const mail = await server.inject({ url: `${PATH}/1`, headers: { accept: 'text/html' } });

      expect(list.body.match(/<script/g)).toHaveLength(1);
      expect(mail.body).not.toContain('<script');
      expect(mail.headers['content-security-policy']).not.toContain('script-src');
    });
  });
});
