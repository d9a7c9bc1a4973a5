import fc from 'fast-check';
import { messages } from '@tidings/contracts/messaging/messages';
import { RawConnection } from './testing/raw-http';
import { KEY, startTestGateway, type TestGateway } from './testing/start-test-gateway';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  for (const operation of Object.values(messages)) gateway.client.answer(operation, (_context, request) => request);
});
afterAll(() => gateway.stop());

const TYPES = {
  400: 'invalid_request_error',
  404: 'invalid_request_error',
  405: 'invalid_request_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  501: 'invalid_request_error',
};

/** Text that is valid in a request line: visible characters. */
const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 30 });
const escapes = fc.constantFrom(
  '%00',
  '%2F',
  '%252F',
  '%',
  '%zz',
  '%ff',
  '%ED%A0%80',
  '%C3%A9',
  '..',
  '.',
  '//',
  '+',
  '',
  'undefined',
  '%5B%5D',
  '__proto__',
  'constructor',
);
const part = fc.array(fc.oneof(visible, escapes), { maxLength: 4 }).map((parts) => parts.join('').replaceAll(/[?#]/g, ''));
const path = fc.oneof(
  fc
    .tuple(fc.constantFrom('/things', '/things/', '/messages', '/messages/', '/send', '/', '/audit-events', '/docs'), part)
    .map((parts) => parts.join('')),
  fc.tuple(part, fc.constantFrom('/tokens', '/tokens/', '/archive', '/history')).map(([id, rest]) => `/things/${id}${rest}`),
  part.map((text) => `/${text}`),
);
const query = fc.array(
  fc.tuple(fc.oneof(fc.constantFrom('limit', 'archived', 'status', 'status[]', 'cursor', 'tag', 'version'), part), part),
  { maxLength: 4 },
);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND');
const type = fc.option(fc.oneof(fc.constantFrom('application/json', 'text/plain', 'application/x+json', '', ';'), visible), {
  nil: undefined,
});
const body = fc.oneof(
  fc.json().map((json) => Buffer.from(json)),
  fc.json().map((json) => Buffer.from(`{"message":${json}}`)),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc.constant(Buffer.alloc(0)),
  fc
    .object({ withNullPrototype: false })
    .map((object) => Buffer.from(JSON.stringify({ message: { to: object, content: object }, data: object, name: object }))),
);

it("answers every request with the interface's status codes and error bodies, never with a 5xx other than 501", async () => {
  let connection = new RawConnection(gateway.port);
  await fc.assert(
    fc.asyncProperty(method, path, query, type, body, async (method, path, query, type, body) => {
      const search = query.map(([name, value]) => `${name}=${value}`).join('&');
      const head = `${method} ${path}${search && `?${search}`} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${body.length}\r\n`;
      connection.write(Buffer.concat([Buffer.from(`${head}${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`), body]));
      const answer = await connection.answer({ head: method === 'HEAD' });
      if (answer.headers.connection === 'close') {
        connection.destroy();
        connection = new RawConnection(gateway.port);
      }

      if (answer.status < 400) return;
      expect(Object.keys(TYPES)).toContain(String(answer.status));
      expect(answer.headers['content-type']).toBe('application/json');
      if (method === 'HEAD') return;
      expect(JSON.parse(answer.body)).toEqual({
        message: expect.stringMatching(/\S/) as string,
        type: TYPES[answer.status as keyof typeof TYPES],
      });
    }),
    { numRuns: 1_500 },
  );
  connection.destroy();
});
