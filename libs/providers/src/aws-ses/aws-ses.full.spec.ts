import { itWith } from '@tidings/testing/installed-tools';
import { moto, type Moto } from '@tidings/testing/moto';
import { AwsSigner } from '../aws/sigv4';
import { attempt, LOOPBACK } from '../http/receiver.fixture';
import { awsSesKind } from './aws-ses';

const KEY = { accessKeyId: 'AKIDEXAMPLE000000', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const ADA = { channel: 'email', email: 'ada@example.com' } as const;
const MAIL = {
  subject: 'Größe',
  html: '<p>Shipped</p>',
  text: 'Shipped',
  cc: ['Bob <bob@example.com>'],
  listUnsubscribe: { url: 'https://example.com/u', oneClick: true },
  attachments: [{ filename: 'order.txt', contentType: 'text/plain', content: Buffer.from('42') }],
};

let server: Moto | undefined;

afterEach(async () => {
  await server?.stop();
});

/** Verifies a sender at moto, as an operator does in the console. */
async function verify(url: string, address: string) {
  const request = {
    url: new URL('/v2/email/identities', url),
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ EmailIdentity: address }),
  };
  const signed = new AwsSigner(KEY, { service: 'ses', region: 'eu-central-1' }).headersOf(request, Date.now());
  const answer = await fetch(request.url, { ...request, headers: { ...request.headers, ...signed } });
  expect(answer.status).toBe(200);
}

/** The mails that moto accepted. */
async function acceptedBy(url: string) {
  const data = (await (await fetch(`${url}/moto-api/data.json`)).json()) as { ses?: { Message?: Record<string, unknown>[] } };
  return data.ses?.Message ?? [];
}

itWith(moto)('sends mails that another implementation of Amazon SES accepts', async () => {
  server = await moto.start();
  const settings = awsSesKind.parseSettings({
    access_key_id: KEY.accessKeyId,
    secret_access_key: KEY.secretAccessKey,
    region: 'eu-central-1',
    from_address: 'Shop <shop@example.com>',
    base_url: server.url,
  });
  const provider = awsSesKind.open(settings, { guard: LOOPBACK });
  const send = () => provider.send({ kind: 'email', email: MAIL }, ADA, attempt());

  await expect(send()).resolves.toMatchObject({ kind: 'failed', cause: 'configuration' });
  await verify(server.url, 'shop@example.com');
  await expect(send()).resolves.toMatchObject({ kind: 'accepted', reference: { id: expect.stringMatching(/./) as string } });
  const [mail, ...others] = await acceptedBy(server.url);
  expect(others).toEqual([]);
  expect(JSON.stringify(mail)).toContain('Größe');
  await provider.close();
});
