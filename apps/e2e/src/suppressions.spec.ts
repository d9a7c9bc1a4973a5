import type { ApiClient } from './testing/api-client';
import { SharedSystem } from './testing/shared-system';

let system: SharedSystem;
let client: ApiClient;
beforeAll(async () => {
  system = await SharedSystem.join({ mail: true });
  ({ client } = system);
});
afterAll(() => system?.leave());

const EMAIL = 'ada@example.com';
const path = `/suppressions/email/${EMAIL}`;
const mailsTo = (email: string) => system.smtp.mails.filter(({ envelope }) => envelope.to.includes(email)).length;

it('a suppressed address gets nothing, until it is removed; a send may pass over an unsubscription', async () => {
  const put = await client.request('PUT', path, { body: { reason: 'unsubscribe' } });
  expect(put).toMatchObject({ status: 200, body: { channel: 'email', address: EMAIL, reason: 'unsubscribe', source: 'api' } });

  const record = await client.messageOnce('UNDELIVERABLE', await client.send(EMAIL));
  expect(record).toMatchObject({ reason: 'UNSUBSCRIBED', providers: [{ provider: 'smtp', status: 'UNDELIVERABLE' }] });
  expect(mailsTo(EMAIL)).toBe(0);

  const message = {
    to: { email: EMAIL },
    content: { title: 'Your password', body: 'A link.' },
    preferences: { pass_unsubscribed: true },
  };
  const passed = await client.request<{ requestId: string }>('POST', '/send', { body: { message } });
  await client.messageOnce('DELIVERED', passed.body.requestId);
  const bulk = { message: { event: 'e', message: { content: message.content, preferences: message.preferences } } };
  expect(await client.request('POST', '/bulk', { body: bulk })).toMatchObject({ status: 403 });

  expect(await client.request('GET', path)).toMatchObject({ status: 200, body: { reason: 'unsubscribe' } });
  expect((await client.request('DELETE', path)).status).toBe(204);
  expect((await client.request('GET', path)).status).toBe(404);
  await client.messageOnce('DELIVERED', await client.send(EMAIL));
  expect(mailsTo(EMAIL)).toBe(2);
});

it('a provider that refuses an address suppresses it', async () => {
  const unknown = 'unknown-address@example.com';
  system.smtp.treat(unknown, { refuse: true });
  const id = await client.send(unknown);
  await client.messageOnce('UNDELIVERABLE', id);

  const { body } = await client.request('GET', `/suppressions?reason=hard_bounce&address=${unknown}`);
  expect(body).toMatchObject({ results: [{ address: unknown, source: 'smtp', message_id: id }] });
  expect(await client.messageOnce('UNDELIVERABLE', await client.send(unknown))).toMatchObject({
    reason: 'BOUNCED',
    error: expect.stringContaining('The address is suppressed: hard_bounce') as string,
  });
});

it('a CSV text is imported, and errors are named by line and field', async () => {
  const csv = 'channel,address,reason\nemail,Bob@Example.com,complaint\nemail,bob\nsms,+15550100000\n';

  const answer = await client.request('POST', '/suppressions/import', { body: csv, headers: { 'content-type': 'text/csv' } });

  expect(answer).toMatchObject({ status: 200 });
  const errors = [{ line: 3, field: 'address', error: 'address must be an e-mail address (got "bob")' }];
  expect(answer.body).toEqual({ imported: 2, failed: 1, errors });
  expect(await client.messageOnce('UNDELIVERABLE', await client.send('bob@example.com'))).toMatchObject({ reason: 'BOUNCED' });
});

it('those of another workspace are not found', async () => {
  await client.request('PUT', '/suppressions/email/eve@example.com', { body: {} });
  const other = await system.otherClient();

  expect((await other.request('GET', '/suppressions/email/eve@example.com')).status).toBe(404);
  expect((await other.request('DELETE', '/suppressions/email/eve@example.com')).status).toBe(404);
  expect((await other.request('GET', '/suppressions')).body).toMatchObject({ results: [] });
  expect((await client.request('GET', '/suppressions/email/eve@example.com')).status).toBe(200);
});
