import { BODY_BYTES_MAX } from '../gateway.options';
import { expectError } from '../testing/expect-error';
import { RawConnection } from '../testing/raw-http';
import { KEY, startTestGateway, type TestGateway } from '../testing/start-test-gateway';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const JSON_HEADERS = { 'content-type': 'application/json' };
const put = (body: string | Buffer | null, headers: Record<string, string> = JSON_HEADERS, path = '/things/one'): Promise<Response> =>
  gateway.request(path, { method: 'PUT', body, headers });

it.each([
  ['GET', '/things/one', 200],
  ['PUT', '/things/one', 200],
  ['DELETE', '/things/one', 204],
  ['POST', '/things/one/archive', 202],
])('treats %s with a JSON content type and no body as a request without a body', async (method, path, status) => {
  for (const length of ['', 'Content-Length: 0\r\n']) {
    const connection = new RawConnection(gateway.port);
    connection.write(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n${length}\r\n`,
    );
    expect((await connection.answer()).status).toBe(status);
    connection.destroy();
  }
});

it('ignores the content type without a body, and of a body that is not read', async () => {
  const archive = await gateway.request('/things/one/archive', { method: 'POST', headers: { 'content-type': 'nonsense' } });
  expect(archive.status).toBe(202);

  const remove = await gateway.request('/things/one', { method: 'DELETE', body: '<x/>', headers: { 'content-type': 'no;nsense' } });
  expect(remove.status).toBe(204);
});

it('treats an empty chunked body as absent', async () => {
  const connection = new RawConnection(gateway.port);
  connection.write(
    `PUT /things/one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  );

  expect(await connection.answer()).toMatchObject({ status: 200, body: '{"thing_id":"one"}' });
  connection.destroy();
});

it.each([['application/json; charset=utf-8'], ['Application/JSON'], ['application/json;'], ['application/merge-patch+json'], ['']])(
  'reads JSON sent as %j',
  async (type) => {
    const answer = await put(Buffer.from('{"name":"x"}'), { 'content-type': type });

    expect(await answer.json()).toEqual({ name: 'x', thing_id: 'one' });
  },
);

it('reads a body without a content type as JSON', async () => {
  const connection = new RawConnection(gateway.port);
  connection.write(`PUT /things/one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 12\r\n\r\n{"name":"x"}`);

  expect(await connection.answer()).toMatchObject({ status: 200, body: '{"name":"x","thing_id":"one"}' });
  connection.destroy();
});

it('refuses other types, naming the received and the accepted ones', async () => {
  const message = await expectError(await put('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), 415);
  expect(message).toContain('application/x-www-form-urlencoded');
  expect(message).toContain('application/json');

  await expectError(await put('<x/>', { 'content-type': 'nonsense' }), 415);
  await expectError(await put('{}', { ...JSON_HEADERS, 'content-encoding': 'gzip' }), 415);
});

it('refuses invalid JSON, with the position', async () => {
  expect(await expectError(await put('{"a":1,\n "b" 2}'), 400)).toBe(
    'The body is not valid JSON: "2" at position 13 (line 2, column 6) does not belong there',
  );
  expect(await expectError(await put('{"a":'), 400)).toContain('the end of the text at position 5 (line 1, column 6)');
});

it('refuses bytes that are not UTF-8', async () => {
  expect(await expectError(await put(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), 400)).toMatch(/UTF-8/);
});

it('accepts a byte order mark', async () => {
  expect(await (await put('\ufeff{"name":"x"}')).json()).toEqual({ name: 'x', thing_id: 'one' });
});

it.each([
  ['{"__proto__":{"admin":true}}', /__proto__/],
  ['{"data":{"\\u005f_proto__":{}}}', /data.*__proto__/],
  ['{"data":{"a":[{"b":"\\u0000"}]}}', /^data\.a\[0\]\.b .*NUL/],
  ['{"data":{"a":"\\ud800"}}', /^data\.a .*surrogate/],
  ['{"data":{"a":1e400}}', /^data\.a /],
  [`{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, /nested deeper/],
  ['[]', /must be a JSON object \(got an array\)/],
  ['"text"', /got a string/],
  ['null', /got null/],
])('refuses %.60s', async (body, words) => {
  expect(await expectError(await put(body), 400)).toMatch(words);
});

it('passes null where the request class allows absence', async () => {
  expect(await (await put('{"name":null}')).json()).toEqual({ name: null, thing_id: 'one' });
});

it.each(['unknown', 'thing_id', 'version'])('refuses an undeclared field, also named like a path or query parameter: %s', async (name) => {
  const words = `${name} is not a known field: known are name, data`;

  expect(await expectError(await put(JSON.stringify({ [name]: 'draft' })), 400)).toBe(words);
});

it('reads declared query parameters beside a body', async () => {
  const answer = await put('{"name":"x"}', JSON_HEADERS, '/things/one?version=draft');

  expect(await answer.json()).toEqual({ name: 'x', version: 'draft', thing_id: 'one' });
});

it('passes the whole body, of any type, to an operation with a bodyField', async () => {
  for (const body of ['["a"]', '{"tokens":1}', '"text"', '3', 'null']) {
    const answer = await put(body, JSON_HEADERS, '/things/one/tokens');
    expect(await answer.json()).toEqual({ tokens: JSON.parse(body) as unknown, thing_id: 'one' });
  }
  expect(await (await put(null, JSON_HEADERS, '/things/one/tokens')).json()).toEqual({ thing_id: 'one' });
});

describe('the limit of 6 MB', () => {
  const ofLength = (length: number): string => `{"data":{"a":"${'x'.repeat(length - '{"data":{"a":""}}'.length)}"}}`;

  it('accepts a body of exactly that size', async () => {
    expect((await put(ofLength(BODY_BYTES_MAX))).status).toBe(200);
  });

  it('refuses one byte more', async () => {
    expect(await expectError(await put(ofLength(BODY_BYTES_MAX + 1)), 413)).toContain(String(BODY_BYTES_MAX));
  });

  it('refuses a chunked body above it, and continues on the connection', async () => {
    const connection = new RawConnection(gateway.port);
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`;
    connection.write(
      `PUT /things/one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(8)}0\r\n\r\n`,
    );
    expect(await connection.answer()).toMatchObject({ status: 413, headers: { 'content-type': 'application/json' } });

    connection.write(`GET /things/one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`);
    expect((await connection.answer()).status).toBe(200);
    connection.destroy();
  });

  it('does not read the body of an unauthenticated request', async () => {
    const connection = new RawConnection(gateway.port);
    connection.write(`PUT /things/one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nContent-Length: 5000000\r\n\r\n`);

    expect((await connection.answer()).status).toBe(401);
    connection.destroy();
  });
});
