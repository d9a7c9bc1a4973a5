import { generateKeyPairSync } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify';
import type { RenderedEmail } from '../email';
import { LOOPBACK } from '../http/receiver.fixture';
import { smtpKind } from './smtp-kind';
import type { SmtpProvider } from './smtp-provider';
import { attempt, cleanUp, cleanUps, connect, MAIL, mailerOf, type Received, start } from './smtp-server.fixture';

afterEach(cleanUp);

const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const DKIM = { domain: 'example.com', selector: 'tidings', private_key: keys.privateKey };
const ADDRESS_BEYOND_ASCII = 'žofie@example.org';

/** The results of the mail's signatures, as a receiver sees them, and the names of the keys it looks up. */
async function signaturesOf({ raw }: Pick<Received, 'raw'>) {
  const names: string[] = [];
  const resolver = (name: string) => {
    names.push(name);
    return Promise.resolve([[`v=DKIM1; k=rsa; p=${keys.publicKey.replace(/-----[^-]+-----|\s/g, '')}`]]);
  };
  const { results } = await dkimVerify(Buffer.from(raw, 'latin1'), { resolver });
  return { names, results };
}

async function sendSigned(email: RenderedEmail, to = 'jane@example.org', mine = attempt()) {
  const server = await start();
  const settings = smtpKind.parseSettings({ host: '127.0.0.1', port: server.port, from_address: 'Shop <shop@example.com>', dkim: DKIM });
  const mailer = mailerOf(smtpKind.open(settings, { guard: LOOPBACK }) as SmtpProvider);
  cleanUps.push(() => mailer.close());
  expect(await mailer.send(email, { email: to }, mine)).toMatchObject({ kind: 'accepted' });
  return server.received[0]!;
}

const FILE = { filename: 'Rëport.txt', contentType: 'text/plain', content: Buffer.from('.\r\n..\r\nfile\r\n') };

describe('with DKIM, a mail', () => {
  it.each([
    ['of text and HTML', MAIL],
    ['beyond ASCII', { subject: 'Grüße 😀 '.repeat(20), text: 'Grüße\n', html: `<p>${'漢字'.repeat(400)}</p>` }],
    ['with dots, blanks and empty lines', { subject: 'dots', text: '.\n..\n  . a \t b  \n\n\n' }],
    ['with a file', { ...MAIL, attachments: [FILE] }],
    ['with every header', { ...MAIL, replyTo: 'help@example.com', cc: ['Bob <bob@example.org>'], bcc: ['eve@example.org'] }],
  ])('%s has a signature that receivers verify', async (_what, email) => {
    const { names, results } = await signaturesOf(await sendSigned(email));

    expect(results).toMatchObject([
      { status: { result: 'pass', aligned: 'example.com' }, signingDomain: 'example.com', selector: 'tidings' },
    ]);
    expect(names).toEqual(['tidings._domainkey.example.com']);
  });

  it('to an address beyond ASCII has one too', async () => {
    for (const email of [MAIL, { ...MAIL, attachments: [FILE] }]) {
      const { results } = await signaturesOf(await sendSigned(email, ADDRESS_BEYOND_ASCII));
      expect(results).toMatchObject([{ status: { result: 'pass' } }]);
    }
  });

  it('has the headers of its unsubscription signed', async () => {
    const listUnsubscribe = { url: 'https://example.com/u/1', oneClick: true };

    const { raw } = await sendSigned({ ...MAIL, listUnsubscribe });

    expect((await signaturesOf({ raw })).results).toMatchObject([{ status: { result: 'pass' } }]);
    const [, signed] = /\bh=([^;]*);/.exec(raw.replace(/\s/g, ''))!;
    const wanted = ['from', 'to', 'subject', 'date', 'list-unsubscribe', 'list-unsubscribe-post'];
    expect(signed!.split(':')).toEqual(expect.arrayContaining(wanted));
  });

  it('that is changed on its way does not verify', async () => {
    const received = await sendSigned(MAIL);

    for (const [from, to] of [
      ['Subject: Shipped', 'Subject: Stopped'],
      ['on its way', 'at a thief'],
    ] as const) {
      const { results } = await signaturesOf({ ...received, raw: received.raw.replace(from, to) });
      expect(results[0]!.status.result).not.toBe('pass');
    }
  });

  it('has the same bytes when its attempt is repeated', async () => {
    const same = attempt({ idempotencyKey: 'message-leaf' });
    const [first, second] = [await sendSigned(MAIL, undefined, same), await sendSigned(MAIL, undefined, { ...same, number: 2 })];
    expect(second.raw).toBe(first.raw);
  });
});

it('without DKIM, a mail has no signature', async () => {
  const server = await start();
  await connect(server).send(MAIL, { email: 'jane@example.org' }, attempt());
  expect(server.received[0]!.raw).not.toMatch(/dkim/i);
});

const pem = (type: 'rsa' | 'ec', options: object) => {
  const { privateKey } =
    type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 512 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem', ...options });
};

it.each([
  [{ dkim: keys.privateKey }, 'settings.dkim must be an object'],
  [{ dkim: {} }, 'settings.dkim.domain is required; settings.dkim.selector is required; settings.dkim.private_key is required'],
  [{ dkim: { ...DKIM, domain: 'exa mple' } }, 'settings.dkim.domain must be a domain, got "exa mple"'],
  [{ dkim: { ...DKIM, selector: 'a;b' } }, 'settings.dkim.selector must be letters, digits, hyphens and dots, at most 63, got "a;b"'],
  [{ dkim: { ...DKIM, privatekey: 'x' } }, 'settings.dkim.privatekey is not a known field: the nearest is private_key'],
  [{ dkim: { ...DKIM, private_key: 'hunter2' } }, 'settings.dkim.private_key must be an RSA private key'],
  [{ dkim: { ...DKIM, private_key: keys.publicKey } }, 'settings.dkim.private_key must be an RSA private key'],
  [{ dkim: { ...DKIM, private_key: pem('rsa', {}) } }, 'settings.dkim.private_key must be an RSA private key'],
  [{ dkim: { ...DKIM, private_key: pem('ec', {}) } }, 'settings.dkim.private_key must be an RSA private key'],
  [
    { dkim: { ...DKIM, private_key: pem('rsa', { cipher: 'aes256', passphrase: 'p' }) } },
    'settings.dkim.private_key must be an RSA private key',
  ],
])('%# settings that could not sign are refused by name, without the key', (settings, sentence) => {
  let message = '';
  try {
    smtpKind.parseSettings({ host: 'mail.example', from_address: 'shop@example.com', ...settings });
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message).toContain(sentence);
  expect(message).not.toMatch(/hunter2|BEGIN/);
});
