import { expectError } from '../testing/expect-error';
import { rawRequest } from '../testing/raw-http';
import { KEY, startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { things } from '../testing/test-operations';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

it.each([
  ['a%2Fb', 'a/b', 'an encoded slash does not split'],
  ['u%252F1', 'u%2F1', 'decoded once'],
  ['a%25%32%46', 'a%2F', 'decoded once, however it is written'],
  ['u%20%C3%A9', 'u é', 'UTF-8'],
  ['a+b', 'a+b', 'a plus is a plus'],
  ['a%2Bb', 'a+b', 'an encoded plus too'],
  ["a:b@c!$&'()*,;=", "a:b@c!$&'()*,;=", 'reserved characters stay'],
  ['list.v1.json', 'list.v1.json', 'no suffix is special'],
  ['50%25', '50%', 'an encoded percent sign'],
  ['x'.repeat(512), 'x'.repeat(512), 'a long id'],
  ['%23hash%3Fquestion', '#hash?question', 'encoded delimiters'],
])('reads the path parameter %s as %s: %s', async (encoded, id) => {
  const answer = await gateway.request(`/things/${encoded}`);

  expect(await answer.json()).toEqual({ thing_id: id });
});

it('passes the rest of the path to a wildcard, slashes included', async () => {
  const answer = await gateway.request('/things/one/tokens/a/b:c+d%2Fe//[f]=');

  expect(await answer.json()).toEqual({ thing_id: 'one', token: 'a/b:c+d/e//[f]=' });
});

it('prefers a literal segment to a parameter', async () => {
  await gateway.request('/things/latest');

  expect(gateway.client.callsOf(things.latest)).toHaveLength(1);
});

it('tolerates slashes before the path, without a redirect', async () => {
  const { status, body } = await rawRequest(gateway.port, `GET ///things/one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`);

  expect([status, body]).toEqual([200, '{"thing_id":"one"}']);
});

it('never redirects: a trailing slash or another case is another path', async () => {
  for (const path of ['/things/one/archive/', '/Things', '/things/one/tokens', '/nothing']) {
    const answer = await gateway.request(path);
    expect([404, 405]).toContain(answer.status);
    await expectError(answer, answer.status);
  }
});

it.each(['/things/%', '/things/%zz', '/things/%ff', '/things/%ED%A0%80', '/things/a%2'])(
  'refuses %s: it is not percent-encoded UTF-8',
  async (path) => {
    expect(await expectError(await gateway.request(path), 400)).toMatch(/percent-encoded/);
  },
);

it('refuses NUL in a path, naming the parameter', async () => {
  expect(await expectError(await gateway.request('/things/a%00b'), 400)).toMatch(/^thing_id .*NUL/);
});

it('refuses an empty parameter, naming it', async () => {
  expect(await expectError(await gateway.request('/things/'), 400)).toMatch(/^thing_id in the path/);
  expect(await expectError(await gateway.request('/things/one/tokens/'), 400)).toMatch(/^token in the path/);
});

it('answers 405 with the methods of the path, and 404 to an unknown path', async () => {
  const other = await gateway.request('/things/one', { method: 'POST' });
  expect(other.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, PUT');
  await expectError(other, 405);

  const unknown = await gateway.request('/unknown?x=1', { method: 'POST', body: 'x' });
  expect(unknown.headers.get('allow')).toBeNull();
  await expectError(unknown, 404);
});

it('answers 405 to unknown methods', async () => {
  const propfind = await rawRequest(gateway.port, `PROPFIND /things/one HTTP/1.1\r\nHost: x\r\n\r\n`);

  expect(propfind).toMatchObject({ status: 405, headers: { 'content-type': 'application/json' } });
});

it('answers HEAD as GET without the body', async () => {
  const answer = await gateway.request('/things/one', { method: 'HEAD' });

  expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String('{"thing_id":"one"}'.length)]);
});

it('answers OPTIONS with the methods of the path, and a preflight with the headers of the SDKs', async () => {
  const plain = await fetch(`${gateway.url}/things`, { method: 'OPTIONS' });
  expect([plain.status, plain.headers.get('allow'), plain.headers.get('access-control-allow-origin')]).toEqual([
    204,
    'GET, HEAD, OPTIONS',
    null,
  ]);

  const preflight = await fetch(`${gateway.url}/things/one`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type,idempotency-key,x-stainless-os,x-stainless-retry-count,cookie',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
  const allowed = preflight.headers.get('access-control-allow-headers')!.split(', ');
  expect(allowed).toEqual(
    expect.arrayContaining([
      'authorization',
      'content-type',
      'idempotency-key',
      'x-idempotency-expiration',
      'x-stainless-os',
      'x-stainless-retry-count',
    ]),
  );
  expect(allowed).not.toContain('cookie');
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
});

it('allows pages of every origin to read answers, refusals included', async () => {
  const refusal = await gateway.request('/things', { headers: { origin: 'https://app.example', authorization: 'Bearer wrong' } });

  expect([refusal.status, refusal.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
});

it('answers 501 to routes that are not served yet, with x-should-retry: false', async () => {
  const answer = await gateway.request('/audit-events');

  expect(answer.headers.get('x-should-retry')).toBe('false');
  expect(await expectError(answer, 501)).toMatch(/not served/);
});

it.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['headers that do not end', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['two lengths', 'POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  ['a bad chunk', `POST /send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
  ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', 417],
  ['a request without Host', 'GET /nothing HTTP/1.1\r\n\r\n', 404],
])('answers %s with the error body', async (_what, text, status) => {
  const answer = await rawRequest(gateway.port, text);

  expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json']);
  expect(JSON.parse(answer.body)).toEqual({ message: expect.any(String) as string, type: 'invalid_request_error' });
});
