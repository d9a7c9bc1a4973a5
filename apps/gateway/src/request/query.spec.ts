import { type AnyOperation, requestParts } from '@tidings/contracts/core/request-parts';
import { consoleKeys } from '@tidings/contracts/identity/console-keys';
import { keys } from '@tidings/contracts/identity/keys';
import { operations } from '@tidings/contracts/registry';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const parsed = async (query: string): Promise<unknown> => (await gateway.request(`/things?${query}`)).json();

it.each([
  ['status=SENT%2CDELIVERED', 'one value, separated by commas'],
  ['status=SENT,DELIVERED', 'the same, not encoded'],
  ['status=SENT&status=DELIVERED', 'repeated'],
  ['status[]=SENT&status[]=DELIVERED', 'with brackets'],
  ['status%5B%5D=SENT&status%5B%5D=DELIVERED', 'with encoded brackets'],
  ['status[0]=SENT&status[1]=DELIVERED', 'with indexes'],
  ['status=SENT%252CDELIVERED', 'encoded twice'],
])('reads an array from %s: %s', async (query) => {
  expect(await parsed(query)).toEqual({ status: ['SENT', 'DELIVERED'] });
});

it('treats empty values as absent', async () => {
  expect(await parsed('cursor=&status=&limit=&archived&&=')).toEqual({});
});

it('reads text with spaces and UTF-8, decoded once', async () => {
  expect(await parsed('cursor=a+b%20%C3%A9%252F')).toEqual({ cursor: 'a b é%2F' });
});

it.each([
  ['true', true],
  ['True', true],
  ['1', true],
  ['false', false],
  ['FALSE', false],
  ['0', false],
])('reads the boolean %s', async (text, value) => {
  expect(await parsed(`archived=${text}`)).toEqual({ archived: value });
});

it.each([
  ['20', 20],
  ['1000', 100],
  ['1', 1],
  ['9'.repeat(40), 100],
])('reads the integer %s, capped at its maximum', async (text, value) => {
  expect(await parsed(`limit=${text}`)).toEqual({ limit: value });
});

it.each([
  ['limit=100', null],
  ['limit=1000', 'limit 1000 is more than 100, which was used instead'],
  [`limit=${'9'.repeat(400)}`, `limit ${'9'.repeat(20)} is more than 100, which was used instead`],
  [
    'limit=101&x=1',
    'Unknown query parameters were ignored: "x" (it knows limit, ratio, archived, status, cursor); limit 101 is more than 100, which was used instead',
  ],
])('warns of a reduced integer: %.20s', async (query, warning) => {
  expect((await gateway.request(`/things?${query}`)).headers.get('x-tidings-warning')).toBe(warning);
});

it('reads numbers', async () => {
  expect(await parsed('ratio=0.25')).toEqual({ ratio: 0.25 });
});

it.each([
  ['limit=ten', /^limit must be a whole number \(got "ten"\)/],
  ['limit=1.5', /^limit /],
  ['limit=0', /^limit must not be less than 1 \(got 0\)/],
  ['limit=-5', /^limit must not be less than 1 \(got -5\)/],
  [`limit=-${'9'.repeat(400)}`, /^limit must /],
  ['ratio=x', /^ratio must be a number/],
  ['archived=maybe', /^archived must be true or false/],
  ['cursor=a&cursor=b', /^cursor is given 2 times/],
  ['cursor=%00', /^cursor .*NUL/],
  ['status=a%00', /^status .*NUL/],
  ['cursor=%zz', /^cursor is not valid percent-encoded/],
  ['%zz=1', /not valid percent-encoded/],
  [`cursor=${'x'.repeat(101)}`, /^cursor /],
])('refuses %.40s, naming the parameter', async (query, words) => {
  expect(await expectError(await gateway.request(`/things?${query}`), 400)).toMatch(words);
});

it.each([
  ['status=delivered', 'status must be one of '],
  ['status=SENT,delivered', 'status[1] must be one of '],
])('names an element of an array by its index where an array was sent: %s', async (query, words) => {
  const message = await expectError(await gateway.request(`/messages?${query}`), 400);

  expect(message.startsWith(words)).toBe(true);
  expect(message).toMatch(/ \(got "delivered"\)$/);
});

it('ignores undeclared parameters', async () => {
  expect(await parsed('unknown=1&constructor=2&__proto__=3')).toEqual({});
});

it('treats the text "undefined" as absent on /messages, where an old SDK sends it', async () => {
  const messages = await gateway.request('/messages?event=undefined&status=undefined&recipient=anna&archived=undefined');

  expect(await messages.json()).toEqual({ recipient: 'anna' });
});

it('reads the text "undefined" literally elsewhere', async () => {
  expect(await parsed('status=undefined')).toEqual({ status: ['undefined'] });
});

/** What the gateway calls for an operation, where that is another one. */
const CALLED: Readonly<Record<string, AnyOperation>> = { [consoleKeys.list.pattern]: keys.page };

describe('the first page', () => {
  const parametersOf = (operation: AnyOperation): string[] =>
    operation.path === undefined
      ? []
      : requestParts(operation).query.filter((name) => ['cursor', 'starting_after', 'limit'].includes(name));
  const parameters = operations.flatMap((operation) =>
    parametersOf(operation).map((name) => [`${operation.method} ${operation.path}`, name, operation] as const),
  );

  let whole: TestGateway;
  beforeAll(async () => {
    whole = await startTestGateway({ operations: undefined, notServed: undefined });
  });
  afterAll(() => whole.stop());

  it('applies to many listings', () => {
    expect(parameters.filter(([, name]) => name === 'cursor').length).toBeGreaterThan(20);
    expect(parameters.filter(([, name]) => name === 'limit').length).toBeGreaterThan(5);
  });

  it.each(parameters)('of %s is requested by %s=undefined, and by an empty value', async (_route, name, operation) => {
    const requests: unknown[] = [];
    whole.client.answer(CALLED[operation.pattern] ?? operation, (_context, request) => void requests.push(request));
    const path = operation.path!.replace(/[:*]\w+/g, 'ada');
    for (const query of ['', `?${name}=undefined`, `?${name}=`, `?${name}`, `?${name}=1`]) await whole.request(`${path}${query}`);

    const [first] = requests as [object];
    expect(requests).toEqual([first, first, first, first, { ...first, [name]: name === 'limit' ? 1 : '1' }]);
  });
});

describe('an unknown parameter', () => {
  const warningOf = async (path: string, init?: RequestInit): Promise<string | null> =>
    (await gateway.request(path, init)).headers.get('x-tidings-warning');

  it.each([
    ['/things?limt=5&cursor=x', 'Unknown query parameters were ignored: "limt" (it knows limit, ratio, archived, status, cursor)'],
    ['/things?limt=5&limt=6&l%C3%BCmit[]=5', 'Unknown query parameters were ignored: "limt", "l\\u00fcmit" (it knows'],
    ['/things?a%0D%0Ab=1&%E0%A4=2', 'Unknown query parameters were ignored: "a\\r\\nb", "%E0%A4" (it knows'],
    ['/things/latest?limit=5', 'Unknown query parameters were ignored: "limit" (it knows none)'],
    ['/things?a=1&b=1&c=1&d=1&e=1&f=1&g=1', '"a", "b", "c", "d", "e" and 2 more (it knows'],
    ['/things?Foo=&bar', 'Unknown query parameters were ignored: "Foo", "bar" (it knows'],
    ['/things?limit=x&limt=5', 'Unknown query parameters were ignored: "limt"'],
  ])('is named in a header: %s', async (path, warning) => {
    expect(await warningOf(path)).toContain(warning);
  });

  it('is named beside a body', async () => {
    const init = { method: 'PUT', body: '{}', headers: { 'content-type': 'application/json' } };
    expect(await warningOf('/things/one?version=draft&name=x', init)).toContain('"name" (it knows version)');
  });

  it.each(['/things', '/things?', '/things?status[]=SENT&archived=1', '/things?limit=&status', '/things/one#limt=5'])(
    'does not occur in %s',
    async (path) => {
      expect(await warningOf(path)).toBeNull();
    },
  );
});
