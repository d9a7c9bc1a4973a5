import type { RenderedEmail } from '../email';
import { attempt, cleanUp, connect, MAIL, type Received, refusal, start } from './smtp-server.fixture';

afterEach(cleanUp);

const JANE = { email: 'jane@example.org' };
const COPIED: RenderedEmail = { ...MAIL, cc: ['Bob <bob@example.org>', 'eve@example.org'], bcc: ['archive@example.com'] };
const envelopeOf = ({ session }: Received): string[] => session.envelope.rcptTo.map(({ address }) => address);

it.each([false, true])(
  'a mail with copies goes to each recipient once, without blind ones in its headers (files: %s)',
  async (hasFiles) => {
    const server = await start();
    const attachments = hasFiles ? [{ filename: 'Grüße 漢字.txt', contentType: 'text/plain', content: Buffer.from('hello') }] : [];
    const cc = [...COPIED.cc!, 'JANE@example.org', 'Käthe Ü <bob@example.org>'];

    await connect(server).send({ ...COPIED, cc, replyTo: 'Help <help@example.com>, more@example.com', attachments }, JANE, attempt());

    const [received] = server.received as [Received];
    expect(envelopeOf(received)).toEqual(['jane@example.org', 'bob@example.org', 'eve@example.org', 'archive@example.com']);
    expect(received.mail.to).toMatchObject([{ address: 'jane@example.org' }]);
    expect(received.mail.cc).toMatchObject([
      { address: 'bob@example.org', name: 'Bob' },
      { address: 'eve@example.org' },
      { address: 'JANE@example.org' },
      { address: 'bob@example.org', name: 'Käthe Ü' },
    ]);
    expect(received.mail.replyTo).toMatchObject([{ address: 'help@example.com', name: 'Help' }, { address: 'more@example.com' }]);
    expect(received.raw).not.toContain('archive@');
    expect(received.raw).not.toMatch(/^bcc/im);
    expect(received.mail.attachments.map(({ filename }) => filename)).toEqual(hasFiles ? ['Grüße 漢字.txt'] : []);
  },
);

describe.each([true, false])('of several recipients (pipelining hidden: %s)', (hidePIPELINING) => {
  const refusing = (prefixes: Record<string, Error>) =>
    start({
      hidePIPELINING,
      onRcptTo: ({ address }, _session, done) => done(Object.entries(prefixes).find(([prefix]) => address.startsWith(prefix))?.[1] ?? null),
    });

  it('reports refused copies and delivers to the others', async () => {
    const server = await refusing({ bob: refusal(550, 'no such user'), archive: refusal(452, 'archive@example.com is full') });
    const provider = connect(server, '&connections=1');

    const outcome = await provider.send(COPIED, JANE, attempt());

    expect(server.received.map(envelopeOf)).toEqual([['jane@example.org', 'eve@example.org']]);
    expect(outcome).toMatchObject({ kind: 'accepted', delivered: true, response: { status: 250 } });
    expect(outcome.response!.body).toMatch(/\ncc refused: 550 .*no such user\nbcc refused: 452$/);
    expect(await provider.send(MAIL, JANE, attempt())).toEqual(expect.not.objectContaining({ response: expect.anything() as unknown }));
    expect(server.connectionCount).toBe(1);
  });

  it.each([
    [550, { kind: 'failed', cause: 'recipient', reason: 'BOUNCED' }],
    [451, { kind: 'retry' }],
  ])('sends no copy when the recipient is refused with %i', async (code, expected) => {
    const server = await refusing({ jane: refusal(code, 'no') });
    const provider = connect(server, '&connections=1');

    expect(await provider.send(COPIED, JANE, attempt())).toMatchObject(expected);
    expect(server.received).toEqual([]);
    expect(await provider.send(COPIED, { email: 'john@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
    expect(server.connectionCount).toBe(1);
  });

  it('sends nothing when the server closes with 421 among them', async () => {
    const server = await refusing({ eve: refusal(421, 'closing') });

    expect(await connect(server).send(COPIED, JANE, attempt())).toMatchObject({ kind: 'retry', outage: true });
    expect(server.received).toEqual([]);
  });
});

it.each([
  [{ cc: ['a@b.c d@e.f'] }, 'The cc "a@b.c d@e.f" is not an e-mail address'],
  [{ bcc: ['a@b.c>\r\nRCPT TO:<d@e.f'] }, 'The bcc "a@b.c>\\r\\nRCPT TO:<d@e.f" is not an e-mail address'],
  [{ replyTo: 'no-address' }, 'The reply address "no-address" is not an e-mail address'],
  [{ from: 'a@b.c, d@e.f' }, 'The sender "a@b.c, d@e.f" is not one e-mail address'],
])('a mail with an invalid address is not sent: %j', async (fields, error) => {
  const server = await start();

  expect(await connect(server).send({ ...MAIL, ...fields }, JANE, attempt())).toMatchObject({ kind: 'failed', cause: 'permanent', error });
  expect(server.received).toEqual([]);
});

describe('List-Unsubscribe', () => {
  const headersOf = async (email: Partial<RenderedEmail>): Promise<Record<string, string>> => {
    const server = await start();
    await connect(server).send({ ...MAIL, ...email }, JANE, attempt());
    const { headers } = server.received[0]!.mail;
    return Object.fromEntries(headers.filter(({ key }) => key.startsWith('list-')).map(({ key, value }) => [key, value]));
  };
  const url = `https://example.com/unsubscribe?${'token='.repeat(30)}`;
  const files = [{ filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('x') }];

  it.each([
    [
      { url, mailto: 'stop@example.com', oneClick: true },
      { targets: `<${url}>, <mailto:stop@example.com>`, post: true },
    ],
    [{ url }, { targets: `<${url}>`, post: false }],
    [
      { mailto: 'stop@example.com', oneClick: true },
      { targets: '<mailto:stop@example.com>', post: false },
    ],
    [{ mailto: 'stop?a#b&c+d@example.com' }, { targets: '<mailto:stop%3Fa%23b%26c%2Bd@example.com>', post: false }],
    [{ mailto: '"stop it"@example.com' }, { targets: '<mailto:%22stop%20it%22@example.com>', post: false }],
  ])('is in the headers, with files and without: %j', async (listUnsubscribe, { targets, post }) => {
    const expected = { 'list-unsubscribe': targets, ...(post && { 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' }) };

    expect(await headersOf({ listUnsubscribe })).toEqual(expected);
    expect(await headersOf({ listUnsubscribe, attachments: files })).toEqual(expected);
  });

  it.each([[{}], [{ url: 'http://example.com/', oneClick: true }], [{ url: 'javascript:alert(1)' }], [{ mailto: 'a@b.c>\r\nX: y' }]])(
    'is absent for an invalid address: %j',
    async (listUnsubscribe) => {
      expect(await headersOf({ listUnsubscribe })).toEqual({});
    },
  );
});

describe('a send', () => {
  it('may name another default sender', async () => {
    const server = await start();
    const override = { config: { from_address: 'Other <other@example.com>' }, body: 5 };

    await connect(server).send(MAIL, JANE, attempt({ override }));
    await connect(server).send({ ...MAIL, from: 'own@example.com' }, JANE, attempt({ override }));

    expect(server.received.map(({ mail }) => mail.from?.address)).toEqual(['other@example.com', 'own@example.com']);
  });

  it.each([
    [{ config: { host: 'evil.example', pass: 'hunter2' } }, 'override.config.host cannot be changed by a send'],
    [{ config: { from_address: 'no-address' } }, 'override.config.from_address must be one e-mail address'],
    [{ config: 'x' }, 'override.config must be an object'],
  ])('may not change %j', async (override, error) => {
    const server = await start();

    const outcome = await connect(server).send(MAIL, JANE, attempt({ override }));

    expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent', error: expect.stringContaining(error) as string });
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
    expect(server.received).toEqual([]);
  });
});
