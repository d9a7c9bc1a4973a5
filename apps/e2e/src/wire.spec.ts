import type { Answer, ErrorBody } from './testing/api-client';
import { ApiClient } from './testing/api-client';
import { SharedSystem } from './testing/shared-system';
const BODY_BYTES_TOO_MANY = 6 * 1024 * 1024 + 1;

let system: SharedSystem;
let client: ApiClient;

beforeAll(async () => {
  system = await SharedSystem.join();
  client = system.client;
});

afterAll(() => system?.leave());

/** Expects the common error form; returns the error message. */
function errorOf({ status, headers, body }: Answer, expected: number, type = 'invalid_request_error'): string {
  expect({ status, contentType: headers.get('content-type'), body }).toEqual({
    status: expected,
    contentType: 'application/json',
    body: { message: expect.stringMatching(/\w/) as string, type },
  });
  return (body as ErrorBody).message;
}

describe('errors on the wire', () => {
  it('have 401 for a request without a key, with a wrong one, or with another scheme', async () => {
    errorOf(await new ApiClient(system.url).get('/messages'), 401, 'authentication_error');
    errorOf(await new ApiClient(system.url, 'pk_prod_wrong').get('/messages'), 401, 'authentication_error');
    const digest = await new ApiClient(system.url).request('GET', '/messages', { headers: { authorization: 'Digest username="ada"' } });
    errorOf(digest, 401, 'authentication_error');
  });

  it('have 404 for an unknown path, and 405 with the allowed methods', async () => {
    expect(errorOf(await client.get('/nowhere'), 404)).toContain('/nowhere');

    const wrongMethod = await client.request('DELETE', '/send');
    errorOf(wrongMethod, 405);
    expect(wrongMethod.headers.get('allow')).toContain('POST');
  });

  it('have 404 for an unknown path with any body', async () => {
    for (const body of ['', '{bad', '<x/>']) {
      const headers = { 'content-type': body === '<x/>' ? 'application/xml' : 'application/json' };
      errorOf(await client.request('POST', '/nowhere', { body, headers }), 404);
    }
  });

  it('have 413 above 6 MB', async () => {
    const tooLong = await client.request('PUT', '/profiles/long', { body: { profile: { text: 'x'.repeat(BODY_BYTES_TOO_MANY) } } });
    errorOf(tooLong, 413);
  });

  it('have 415 for a body of another type than JSON', async () => {
    const xml = await client.request('POST', '/send', { body: '<message/>', headers: { 'content-type': 'application/xml' } });
    expect(errorOf(xml, 415)).toContain('application/xml');
    const utf16 = await client.request('POST', '/send', { body: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } });
    errorOf(utf16, 415);
  });

  it('have 400 with the position of a JSON syntax error', async () => {
    const malformed = await client.request('POST', '/send', { body: '{"message": {"to": }}' });
    expect(errorOf(malformed, 400)).toContain('position 19');
  });

  it('have 400 naming the field that cannot be stored', async () => {
    const answer = await client.request('PUT', '/profiles/ada', { body: { profile: { name: 'a\0b' } } });
    expect(errorOf(answer, 400)).toContain('name');
  });

  it('have 501 for a known route that is not served yet, with `x-should-retry: false`', async () => {
    const answer = await client.get('/automations');
    errorOf(answer, 501);
    expect(answer.headers.get('x-should-retry')).toBe('false');
  });
});

it('answers 204 without a body, and 202 with the request id', async () => {
  const removed = await client.request('DELETE', '/profiles/unknown');
  expect({ status: removed.status, body: removed.body }).toEqual({ status: 204, body: '' });

  const accepted = await client.trySend('ada@example.com');
  expect(accepted.status).toBe(202);
  expect(accepted.headers.get('content-type')).toBe('application/json');
  expect(accepted.body).toEqual({ requestId: expect.stringMatching(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/) as string });
});

it('accepts the key as the password of Basic authentication', async () => {
  const credential = Buffer.from(`${system.account}:${system.key}`).toString('base64');
  const answer = await new ApiClient(system.url).request('GET', '/messages', { headers: { authorization: `Basic ${credential}` } });
  expect(answer.status).toBe(200);

  const stranger = Buffer.from(`stranger@example.com:${system.key}`).toString('base64');
  const refused = await new ApiClient(system.url).request('GET', '/messages', { headers: { authorization: `Basic ${stranger}` } });
  errorOf(refused, 401, 'authentication_error');
});

it('serves OpenAPI, docs, health and metrics without a key', async () => {
  const anonymous = new ApiClient(system.url);

  const { status, body } = await anonymous.get<{ openapi: string; paths: Record<string, Record<string, unknown>> }>('/openapi.json');
  expect(status).toBe(200);
  expect(body.openapi).toMatch(/^3\.1\./);
  expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(['/send', '/messages/{message_id}', '/profiles/{user_id}']));
  expect(Object.keys(body.paths['/profiles/{user_id}']!)).toEqual(expect.arrayContaining(['get', 'post', 'put', 'patch', 'delete']));

  const docs = await anonymous.get<string>('/docs');
  expect(docs.status).toBe(200);
  expect(docs.headers.get('content-type')).toContain('text/html');
  expect(docs.body).toContain('/send');

  expect((await anonymous.get('/health/live')).status).toBe(200);
  expect((await anonymous.get('/health/ready')).status).toBe(200);
  // Over Kafka metrics are served only by the management port of each process.
  const metrics = await anonymous.get<string>('/metrics');
  expect(metrics.status).toBe(system.topology === 'kafka' ? 404 : 200);
  if (system.topology === 'standalone') expect(metrics.body).toContain('# TYPE process_cpu_seconds_total counter');
  expect(await system.metrics('tidings_delivery_attempts_total')).toBeGreaterThanOrEqual(0); // of the process that delivers
  expect(await system.metrics('tidings_work_claimed_total')).toBeGreaterThanOrEqual(0);
});

it('isolates workspaces: data of one is not found by the other', async () => {
  const other = await system.otherClient();
  await client.request('PUT', '/profiles/shared-id', { body: { profile: { name: 'Of the first' } } });
  const id = await client.send('isolated@example.com');
  await client.messageOnce('DELIVERED', id);

  errorOf(await other.get('/profiles/shared-id'), 404);
  errorOf(await other.getWithRetry(`/messages/${id}`), 404);
  errorOf(await other.getWithRetry(`/messages/${id}/history`), 404);
  expect((await other.get('/messages')).body).toEqual({ paging: { more: false }, results: [] });

  await other.request('PUT', '/profiles/shared-id', { body: { profile: { name: 'Of the second' } } });
  await other.request('DELETE', '/profiles/shared-id');
  expect((await client.get('/profiles/shared-id')).body).toEqual({ profile: { name: 'Of the first' } });
});
