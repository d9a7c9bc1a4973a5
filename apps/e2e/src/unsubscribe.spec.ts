import { generateKeyPairSync } from 'node:crypto';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { dkimVerify } from 'mailauth/lib/dkim/verify';
import type { ApiClient } from './testing/api-client';
import { SharedSystem } from './testing/shared-system';

const EMAIL = 'ada@example.com';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

let system: SharedSystem;
let smtp: CapturingSmtp;
let client: ApiClient;
/** A mail client or browser of a recipient: it has no API key. */
let visit: (method: 'GET' | 'POST', url: string, body?: string) => Promise<{ status: number; body: string }>;
let topic: string;
beforeAll(async () => {
  [system, smtp] = await Promise.all([SharedSystem.join(), CapturingSmtp.start()]);
  ({ client } = system);
  visit = async (method, url, body) => {
    const answer = await fetch(system.url + new URL(url).pathname, {
      method,
      ...(method === 'POST' && { body: body ?? '', headers: FORM }),
    });
    return { status: answer.status, body: await answer.text() };
  };
  const { port } = smtp;
  const dkim = { domain: 'example.com', selector: 'tidings', private_key: keys.privateKey };
  const settings = { host: '127.0.0.1', port, tls: 'off', from_address: 'shop@example.com', dkim };
  await made('POST', '/providers', { provider: 'smtp', settings });
  await made('PUT', '/profiles/ada', { profile: { email: EMAIL, locale: 'de_DE' } });
  const { id: section } = await made('POST', '/preferences/sections', { name: 'Shop' });
  const fields = { name: 'News', default_status: 'OPTED_IN', include_unsubscribe_header: true };
  ({ id: topic } = await made('POST', `/preferences/sections/${section}/topics`, fields));
});
afterAll(async () => {
  await smtp?.close();
  await system?.leave();
});

async function made(method: string, path: string, body: object): Promise<{ id: string }> {
  const answer = await client.request<{ id: string }>(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const CONTENT = { title: 'News', body: 'Hello. {{unsubscribe_url}}' };
async function send(to: object, preferences?: object): Promise<string> {
  const answer = await client.request<{ requestId: string }>('POST', '/send', { body: { message: { to, content: CONTENT, preferences } } });
  expect(answer.status).toBe(202);
  return answer.body.requestId;
}
const sendNews = () => send({ user_id: 'ada' }, { subscription_topic_id: topic });
const logs = async () => (await client.get<{ items: object[] }>('/preferences/logs?user_id=ada')).body.items;

it('a mail client unsubscribes by one click from a raw mail whose signature covers both headers', async () => {
  const id = await sendNews();
  await client.messageOnce('DELIVERED', id);
  const { raw } = smtp.mailsTo(EMAIL)[0]!;

  const resolver = () => Promise.resolve([[`v=DKIM1; k=rsa; p=${keys.publicKey.replace(/-----[^-]+-----|\s/g, '')}`]]);
  const { results } = await dkimVerify(raw, { resolver });
  expect(results).toMatchObject([{ status: { result: 'pass' }, signingDomain: 'example.com' }]);
  const headers = raw
    .toString('latin1')
    .split('\r\n\r\n', 1)[0]!
    .replace(/\r\n[ \t]+/g, ' ');
  const [, signed] = /^DKIM-Signature:.*?\bh=([^;]*);/im.exec(headers)!;
  expect(signed!.toLowerCase().replaceAll(' ', '').split(':')).toEqual(
    expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post']),
  );
  expect(headers).toMatch(/^List-Unsubscribe-Post: ?List-Unsubscribe=One-Click$/im);
  const [, url] = /^List-Unsubscribe: ?<(https:\/\/notify\.example\.com\/u\/[^>]+)>$/im.exec(headers)!;

  // A scanner follows the link, and nothing changes.
  const page = await visit('GET', url!);
  expect([page.status, page.body]).toEqual([200, expect.stringContaining('Möchten Sie „News“ abbestellen?')]);
  await client.messageOnce('DELIVERED', await sendNews());
  expect(await logs()).toEqual([]);

  expect((await visit('POST', url!, 'List-Unsubscribe=One-Click')).status).toBe(200);

  const record = await client.messageOnce('UNDELIVERABLE', await sendNews());
  expect(record).toMatchObject({ reason: 'UNSUBSCRIBED' });
  expect(await logs()).toMatchObject([{ topic_id: topic, topic_name: 'News', status: 'OPTED_OUT', source: 'link', message_id: id }]);

  const preferences = url!.replace('/u/', '/p/');
  expect((await visit('GET', preferences)).body).toContain(`value="${topic}"`);
  expect((await visit('POST', preferences, `topic=${topic}&in=${topic}`)).status).toBe(200);
  await client.messageOnce('DELIVERED', await sendNews());
  expect(await logs()).toMatchObject([{ status: 'OPTED_IN', source: 'page', previous: { status: 'OPTED_OUT' } }, { source: 'link' }]);
});

it('the link of a mail to an address suppresses it', async () => {
  const email = 'eve@example.com';
  const id = await send({ email });
  await client.messageOnce('DELIVERED', id);
  const { text } = await smtp.mailsTo(email)[0]!.parse();
  const [url] = /https:\/\/notify\.example\.com\/u\/[\w-]+/.exec(text!)!;

  expect((await visit('GET', url)).status).toBe(200);
  expect((await client.request('GET', `/suppressions/email/${email}`)).status).toBe(404);
  expect((await visit('POST', url)).status).toBe(200);

  expect(await client.messageOnce('UNDELIVERABLE', await send({ email }))).toMatchObject({ reason: 'UNSUBSCRIBED' });
  const suppression = await client.request('GET', `/suppressions/email/${email}`);
  expect(suppression.body).toMatchObject({ reason: 'unsubscribe', source: 'link', message_id: id });
});

it('a link that was changed is no link', async () => {
  const [mail] = smtp.mailsTo(EMAIL);
  const { text } = await mail!.parse();
  const [url] = /https:\/\/notify\.example\.com\/u\/[\w-]+/.exec(text!)!;
  const forged = url.replace(/.(?=.{30}$)/, (character) => (character === 'A' ? 'B' : 'A'));
  expect((await visit('POST', forged)).status).toBe(404);
});
