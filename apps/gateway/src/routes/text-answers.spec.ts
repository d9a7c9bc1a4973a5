import { messages } from '@tidings/contracts/messaging/messages';
import { BODY_BYTES_MAX } from '../gateway.options';
import { expectError } from '../testing/expect-error';
import { RawConnection } from '../testing/raw-http';
import { KEY, startTestGateway, type TestGateway } from '../testing/start-test-gateway';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const POEM = 'Roses are "red"\r\n\tviolets – 😀\n';
const put = (body: string | Buffer | null, headers: Record<string, string>): Promise<Response> =>
  gateway.request('/things/one/poem', { method: 'PUT', body, headers });

describe('a body that is one text', () => {
  it.each([
    'text/plain',
    'text/plain; charset=utf-8',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'text/x-gettext',
    'nonsense',
    '',
  ])('is the text itself, byte for byte, sent as %j', async (type) => {
    const answer = await put(Buffer.from(POEM), { 'content-type': type });

    expect([answer.status, await answer.text()]).toEqual([200, POEM]);
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/x-www-form-urlencoded'])(
    'is the text of a JSON string, sent as %j',
    async (type) => {
      const answer = await put(JSON.stringify(POEM), { 'content-type': type });

      expect([answer.status, await answer.text()]).toEqual([200, POEM]);
    },
  );

  it.each([
    ['a poem', 'a poem'],
    ['"a poem"', 'a poem'],
  ])('may come without a type: %j', async (body, poem) => {
    const connection = new RawConnection(gateway.port);
    connection.write(
      `PUT /things/one/poem HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );

    expect(await connection.answer()).toMatchObject({ status: 200, body: poem });
    connection.destroy();
  });

  it('preserves byte order mark, blanks, and quotes that are no JSON', async () => {
    for (const poem of ['', '\ufeffa', '  \n', '"a" and "b"', '"a\nb"', '{"a":1}']) {
      expect(await (await put(poem, { 'content-type': 'text/plain' })).arrayBuffer()).toEqual(new TextEncoder().encode(poem).buffer);
    }
  });

  it('may be empty as a JSON string or as a text, and is missing where there is no body', async () => {
    const answer = await put('""', { 'content-type': 'application/json' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);

    expect(await expectError(await put(null, { 'content-type': 'application/json' }), 400)).toBe('The body is required');
    expect(await expectError(await put(null, {}), 400)).toBe('The body is required');
  });

  it.each<[string, string | Buffer, Record<string, string>, number, string]>([
    ['JSON that is no text', '{"poem":"a"}', { 'content-type': 'application/json' }, 400, 'The body must be a string (got an object)'],
    ['a number', '7', { 'content-type': 'application/json' }, 400, 'The body must be a string (got 7)'],
    ['invalid JSON of type JSON', 'a poem', { 'content-type': 'application/json' }, 400, 'The body is not valid JSON'],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff]), { 'content-type': 'text/plain' }, 400, 'The body is not valid UTF-8'],
    ['a NUL', 'a\0', { 'content-type': 'text/plain' }, 400, 'The body must not contain the character NUL'],
    ['half a surrogate pair', '"\\ud800"', { 'content-type': 'text/plain' }, 400, 'half of a surrogate pair'],
    ['another charset', 'a', { 'content-type': 'text/plain; charset=iso-8859-1' }, 415, 'accepted is any text in UTF-8'],
    ['a compressed body', 'a', { 'content-type': 'text/plain', 'content-encoding': 'gzip' }, 415, 'gzip'],
    ['a body above the limit', 'a'.repeat(BODY_BYTES_MAX + 1), { 'content-type': 'text/plain' }, 413, String(BODY_BYTES_MAX)],
  ])('cannot be %s', async (_, body, headers, status, words) => {
    expect(await expectError(await put(body, headers), status)).toContain(words);
  });
});

describe('a part of a rendered message', () => {
  const policyOf = async (query: string): Promise<string | null> => {
    gateway.client.answer(messages.part, () => ({ text: '<img src="https://elsewhere.example/pixel">', media_type: 'text/html' }));
    const { status, headers } = await gateway.request(`/messages/1-69a40ce0-5f2b9c01d3e84a7766aa10fe/output/1/html${query}`);
    expect([status, headers.get('x-content-type-options'), headers.get('x-tidings-warning')]).toEqual([200, 'nosniff', null]);
    return headers.get('content-security-policy');
  };

  it('runs nothing in a browser, and loads nothing', async () => {
    expect(await policyOf('')).toBe("sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'");
  });

  it('loads images for a viewer who asks for them', async () => {
    expect(await policyOf('?images=remote')).toBe(
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; frame-ancestors 'self'",
    );
    const other = await gateway.request('/messages/1-69a40ce0-5f2b9c01d3e84a7766aa10fe/output/1/html?images=all');
    expect(await expectError(other, 400)).toContain('images');
  });
});

describe('an answer that is one text', () => {
  it('is plain, with its length in bytes', async () => {
    const answer = await put(POEM, { 'content-type': 'text/plain' });

    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(POEM)));
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });

  it('is a JSON string for the SDKs that parse only JSON', async () => {
    const answer = await put(POEM, { 'content-type': 'text/plain', 'X-Fern-Language': 'JavaScript' });

    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.text()).toBe(JSON.stringify(POEM));
  });
});
