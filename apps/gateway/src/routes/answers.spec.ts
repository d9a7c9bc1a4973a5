import { type ErrorCode, ServiceError, wireError } from '@tidings/contracts/core/errors';
import { defineOperation, Nothing, Warned } from '@tidings/contracts/core/operation';
import { expectError } from '../testing/expect-error';
import { RawConnection } from '../testing/raw-http';
import { KEY, startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { Thing, things } from '../testing/test-operations';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const CODES: ErrorCode[] = [
  'invalid_request',
  'unauthenticated',
  'payment_required',
  'forbidden',
  'not_found',
  'conflict',
  'rate_limited',
  'internal',
  'not_served',
  'unavailable',
  'deadline_exceeded',
];

it.each(CODES)('answers %s of a service with its status, type and message', async (code) => {
  gateway.client.answer(things.get, () => {
    throw new ServiceError(code, 'Its own message');
  });
  const { status, type } = wireError(code);

  expect(await expectError(await gateway.request('/things/one'), status, type)).toBe('Its own message');
});

it('sends the hints of an error as headers, and a retry delay for transient errors', async () => {
  const headersOf = async (error: ServiceError): Promise<(string | null)[]> => {
    gateway.client.answer(things.get, () => {
      throw error;
    });
    const { headers } = await gateway.request('/things/one');
    return [headers.get('retry-after'), headers.get('x-should-retry')];
  };

  expect(await headersOf(new ServiceError('conflict', 'x', { shouldRetry: false }))).toEqual([null, 'false']);
  expect(await headersOf(new ServiceError('conflict', 'x', { shouldRetry: true, retryAfterSeconds: 7 }))).toEqual(['7', 'true']);
  expect(await headersOf(new ServiceError('rate_limited', 'x'))).toEqual(['1', null]);
  expect(await headersOf(new ServiceError('unavailable', 'x', { retryAfterSeconds: 0 }))).toEqual(['1', null]);
  expect(await headersOf(new ServiceError('not_served', 'x'))).toEqual([null, 'false']);
  expect(await headersOf(new ServiceError('not_found', 'x'))).toEqual([null, null]);
});

it('answers with the body of an error, under its own status', async () => {
  const record = { id: 'one', status: 'SENT' };
  gateway.client.answer(things.get, () => {
    throw new ServiceError('conflict', 'Too late', { shouldRetry: false, answer: record });
  });

  const answer = await gateway.request('/things/one');

  expect([answer.status, answer.headers.get('x-should-retry'), await answer.json()]).toEqual([409, 'false', record]);
});

it('does not reveal internal errors', async () => {
  gateway.client.answer(things.get, () => {
    throw new Error('the password is secret');
  });

  expect(await expectError(await gateway.request('/things/one'), 500, 'internal_error')).not.toContain('secret');
});

it('answers without a body where an operation has no answer', async () => {
  const removed = await gateway.request('/things/one', { method: 'DELETE' });
  expect([removed.status, removed.headers.get('content-type'), removed.headers.get('content-length'), await removed.text()]).toEqual([
    204,
    null,
    null,
    '',
  ]);

  const archived = await gateway.request('/things/one/archive', { method: 'POST' });
  expect([archived.status, archived.headers.get('content-length'), await archived.text()]).toEqual([202, '0', '']);
});

describe('warnings of a service', () => {
  const definition = { scope: 'write:things', summary: 'x', request: Nothing, warnings: 'warnings' } as const;
  const warning = defineOperation({ ...definition, pattern: 'content.warning.post', route: 'POST /warning', response: Thing });
  const bodiless = defineOperation({ ...definition, pattern: 'content.warning.put', route: 'PUT /warning', response: Warned });
  let warned: TestGateway;
  beforeAll(async () => {
    warned = await startTestGateway({ operations: [warning, bodiless] });
  });
  afterAll(() => warned.stop());

  const answerTo = async (method: string, answer: object): Promise<[number, string, string | null]> => {
    warned.client.answer(method === 'PUT' ? bodiless : warning, () => answer);
    const response = await warned.request('/warning?x=1', { method });
    return [response.status, await response.text(), response.headers.get('x-tidings-warning')];
  };
  const OF_QUERY = 'Unknown query parameters were ignored: "x" (it knows none)';

  it('are sent in a header after those of the gateway, and not in the body', async () => {
    const texts = ['The one', 'The other'];
    expect(await answerTo('POST', { name: 'a', warnings: texts })).toEqual([200, '{"name":"a"}', `${OF_QUERY}; The one; The other`]);
    expect(await answerTo('PUT', { warnings: texts })).toEqual([204, '', `${OF_QUERY}; The one; The other`]);
  });

  it.each([[{ name: 'a' }], [{ name: 'a', warnings: [] }]])('may be none: %j', async (answer) => {
    expect(await answerTo('POST', answer)).toEqual([200, '{"name":"a"}', OF_QUERY]);
    expect(await answerTo('PUT', answer)).toEqual([204, '', OF_QUERY]);
  });

  it('are bounded, and safe as a header', async () => {
    const [, , escaped] = await answerTo('PUT', { warnings: ['a\r\nset-cookie: b=c\u{1f600}\u007fé'] });
    expect(escaped).toBe(`${OF_QUERY}; a\\u000d\\u000aset-cookie: b=c\\ud83d\\ude00\\u007f\\u00e9`);

    const [, , long] = await answerTo('PUT', {
      warnings: ['é'.repeat(10_000), ...Array.from({ length: 100 }, (_, n) => `${n}`.repeat(90))],
    });
    expect(long!.length).toBeLessThan(2_100);
    expect(long).toMatch(/^Unknown query[^;]*; (?:\\u00e9)+[\\u0e9]*\.\.\.; 0+; 1+; [^;]*(?:; [^;]*)*; \.\.\.$/);
  });
});

it('answers with UTF-8 and its length in bytes', async () => {
  gateway.client.answer(things.get, (_context, request) => request);
  const answer = await gateway.request('/things/%C3%A9%F0%9F%98%80');

  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength('{"thing_id":"é😀"}')));
  expect(await answer.json()).toEqual({ thing_id: 'é😀' });
});

it('gives every answer a unique id, and the call the same one', async () => {
  const answers = await Promise.all(['/things/one', '/things', '/unknown', '/things/%zz'].map((path) => gateway.request(path)));

  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  expect(new Set(ids).size).toBe(4);
  expect(ids).not.toContain(null);
  expect(gateway.client.callsOf(things.page)[0]!.context.callId).toBe(ids[1]);
});

it('ignores a client that disconnects before the answer', async () => {
  let answer = (): void => undefined;
  const called = new Promise<void>((resolve) => {
    gateway.client.answer(things.get, () => {
      resolve();
      return new Promise((answered) => (answer = () => answered({ name: 'late' })));
    });
  });
  const connection = new RawConnection(gateway.port);
  connection.write(`GET /things/one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`);
  await called;
  connection.destroy();
  await connection.closed();
  answer();

  expect((await gateway.request('/things')).status).toBe(200);
});

it('answers pipelined requests in their order', async () => {
  gateway.client.answer(things.get, (_context, { thing_id }: { thing_id: string }) =>
    thing_id === 'slow' ? new Promise((resolve) => setImmediate(() => resolve({ name: 'slow' }))) : { name: thing_id },
  );
  const connection = new RawConnection(gateway.port);
  connection.write(['slow', 'fast'].map((id) => `GET /things/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`).join(''));

  expect([(await connection.answer()).body, (await connection.answer()).body]).toEqual(['{"name":"slow"}', '{"name":"fast"}']);
  connection.destroy();
});

it('does not start with a routed internal operation, or one without a handler', async () => {
  const definition = { summary: 'x', request: Nothing, response: Nothing, route: 'GET /x' } as const;
  const internal = defineOperation({ ...definition, pattern: 'content.x.y', scope: 'internal' });
  await expect(startTestGateway({ operations: [internal], notServed: [] })).rejects.toThrow('content.x.y is internal and has a route');

  const orphan = defineOperation({ ...definition, pattern: 'gateway.x.y', scope: 'read:x' });
  await expect(startTestGateway({ operations: [orphan], notServed: [] })).rejects.toThrow('gateway.x.y');
});
