import Courier from '@trycourier/courier';
import { Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { userTokens } from '@tidings/contracts/identity/user-tokens';
import { ProcessLogger } from '@tidings/runtime/logger';
import { expectError } from './testing/expect-error';
import { rawRequest } from './testing/raw-http';
import { KEY, startTestGateway, type TestGateway } from './testing/start-test-gateway';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ operations: undefined, notServed: undefined });
});
beforeEach(() => {
  for (const operation of Object.values(userTokens)) gateway.client.answer(operation, () => undefined);
  for (const operation of [userTokens.retrieve, userTokens.list]) gateway.client.answer(operation, (_context, request) => request);
});
afterAll(() => gateway.stop());

const put = (path: string, body?: string, type = 'application/json'): Promise<Response> =>
  gateway.request(path, { method: 'PUT', body, headers: { 'content-type': type } });
const lastOf = (operation: { pattern: string }): unknown => gateway.client.callsOf(operation).at(-1)?.request;

const TOKENS = [
  'a/b:c+d',
  'APA91b:x-_y',
  'ExponentPushToken[abc/+=]',
  '/leading',
  'trailing/',
  'a//b',
  '50%',
  'a%2Fb',
  '%',
  'a b?c#d&e=f',
  'é🙂',
  "!$'()*,;@",
];

describe('a token in the path', () => {
  /** The encodings of the SDKs; some leave slashes raw, but in tokens only. */
  const encodings: [string, (token: string) => string][] = [
    ['everything escaped', encodeURIComponent],
    [
      'escaped but for : + @ and their like',
      (token) => encodeURIComponent(token).replaceAll(/%(3A|2B|40|3D|24|26|2C|3B)/g, decodeURIComponent),
    ],
    ['slashes not escaped', (token) => encodeURIComponent(token).replaceAll('%2F', '/')],
    ['a URL escaped as a whole', (token) => encodeURI(token).replaceAll(/[?#]/g, encodeURIComponent)],
  ];

  it.each(encodings)('is decoded correctly: %s', async (_, encode) => {
    for (const token of TOKENS) {
      const answer = await rawRequest(
        gateway.port,
        `GET /users/u%2F1%20%C3%A9/tokens/${encode(token)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`,
      );
      expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { user_id: 'u/1 é', token }]);
    }
  });

  it('is decoded correctly from the SDK, in every method', async () => {
    const sdk = new Courier({ apiKey: KEY, baseURL: gateway.url });
    for (const token of TOKENS) {
      const request = { user_id: 'u/1 é', token };

      expect(await sdk.users.tokens.retrieve(token, { user_id: request.user_id })).toEqual(request);
      await sdk.users.tokens.addSingle(token, { user_id: request.user_id, provider_key: 'apn', expiry_date: false });
      expect(lastOf(userTokens.put)).toEqual({ ...request, body: { provider_key: 'apn', expiry_date: false } });
      await sdk.users.tokens.update(token, { user_id: request.user_id, patch: [{ op: 'replace', path: '/status', value: 'revoked' }] });
      expect(lastOf(userTokens.patch)).toEqual({ ...request, patch: [{ op: 'replace', path: '/status', value: 'revoked' }] });
      await sdk.users.tokens.delete(token, { user_id: request.user_id });
      expect(lastOf(userTokens.remove)).toEqual(request);
    }
  });

  it('may have thousands of characters', async () => {
    const token = 'x/'.repeat(2_048);

    expect(await (await gateway.request(`/users/ada/tokens/${token}`)).json()).toEqual({ user_id: 'ada', token });
    await expectError(await gateway.request(`/users/ada/tokens/${token}x`), 400);
  });

  it('is not read from the query', async () => {
    expect(await (await gateway.request('/users/ada/tokens/t1?x=/tokens/t2')).json()).toEqual({ user_id: 'ada', token: 't1' });
  });

  it('must not be empty or invalid text', async () => {
    for (const [path, init] of [
      ['/users/ada/tokens/'],
      ['/users/ada/tokens/', { method: 'DELETE' }],
      ['/users/ada/tokens/a%00b'],
    ] as const) {
      expect(await expectError(await gateway.request(path, init), 400)).toMatch(/^token /);
    }
    await expectError(await put('/users/ada/tokens/', '{"provider_key":"apn"}'), 400);
    await expectError(await gateway.request('/users/ada/tokens/%zz'), 400);
    expect(gateway.client.callsOf(userTokens.putMany)).toEqual([]);
  });
});

it.each<[string, string, RegExp]>([
  ['/users/ada/tokens/t1', '{}', /^provider_key is required$/],
  ['/users/ada/tokens/t1', '{"provider_key":"apn","device":{"app_id":1}}', /^device\.app_id must be a string \(got 1\)$/],
  ['/users/ada/tokens/t1', '[]', /^The body must be an object \(got an empty array\)$/],
  ['/users/ada/tokens/t1', 'null', /^The body must be an object \(got null\)$/],
  ['/users/ada/tokens', '[{"token":"a\\u0000b","provider_key":"apn"}]', /^tokens\[0\]\.token must not contain the character NUL/],
  ['/users/ada/tokens', '"t1"', /^The body must be a JSON object or an array \(got a string\)$/],
])('PUT %s names the invalid field of %s by its path in the body', async (path, body, words) => {
  expect(await expectError(await put(path, body), 400)).toMatch(words);
});

describe('many tokens', () => {
  const entries = [{ token: 't1', provider_key: 'apn' }];

  it.each([
    ['an object', JSON.stringify({ tokens: entries })],
    ['an array', JSON.stringify(entries)],
  ])('may be %s', async (_, body) => {
    expect((await put('/users/ada/tokens', body)).status).toBe(204);
    expect(lastOf(userTokens.putMany)).toEqual({ user_id: 'ada', tokens: entries });
  });

  it.each([undefined, '', '{}'])('may be absent, as from SDKs that send no body: %j', async (body) => {
    const answer = await put('/users/ada/tokens', body);

    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(lastOf(userTokens.putMany)).toEqual({ user_id: 'ada' });
  });

  it.each(['"t1"', '7', 'null', '[null]', '["t1"]', '{"tokens":{}}', '{"tokens":[{"token":""}]}', '{"tokens":', '[[]]'])(
    'cannot be %s',
    async (body) => {
      const calls = gateway.client.callsOf(userTokens.putMany).length;

      await expectError(await put('/users/ada/tokens', body), 400);
      expect(gateway.client.callsOf(userTokens.putMany)).toHaveLength(calls);
    },
  );
});

describe('one token', () => {
  it.each([undefined, '[]', '"apn"', '{}', '{"provider_key":"pigeon"}', '{"provider_key":"apn","expiry_date":true}'])(
    'cannot be registered with %s',
    async (body) => {
      await expectError(await put('/users/ada/tokens/t1', body), 400);
    },
  );

  it('is registered with an object; its status is ignored, unknown fields are refused', async () => {
    const answer = await put('/users/ada/tokens/t1', '{"provider_key":"expo","expiry_date":"2030-01-01","status":"failed"}');
    const refused = await put('/users/ada/tokens/t1', '{"provider_key":"expo","user_id":"eve"}');

    expect(await expectError(refused, 400)).toContain('user_id is not a known field');
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(lastOf(userTokens.put)).toEqual({ user_id: 'ada', token: 't1', body: { provider_key: 'expo', expiry_date: '2030-01-01' } });
  });
});

it('never logs a token, whatever the outcome of the request', async () => {
  const lines: string[] = [];
  Logger.overrideLogger(
    ProcessLogger.create({ process: 'spec', format: 'json', level: 'trace', destination: { write: (line) => lines.push(line) } }),
  );
  try {
    const failures = [new Error('A defect'), new ServiceError('unavailable', 'Unavailable'), new ServiceError('not_found', 'None')];
    for (const failure of failures) {
      gateway.client.answer(userTokens.retrieve, () => {
        throw failure;
      });
      await gateway.request('/users/ada/tokens/S3CRET');
    }
    await gateway.request('/users/ada/tokens/S3CRET%zz');
    await gateway.request('/users/ada/tokens/S3CRET', { method: 'POST', body: '{}' });
    await put('/users/ada/tokens/S3CRET', '{"provider_key":"apn",');
    await put('/users/ada/tokens', '[{"token":"S3CRET","provider_key":7}]');
    await put('/users/ada/tokens', 'S3CRET', 'text/plain');
    await gateway.request('/users/ada/tokens/S3CRET', { headers: { authorization: 'Bearer unknown' } });

    expect(lines.join()).toContain('A request failed unexpectedly');
    expect(lines.join()).not.toContain('S3CRET');
  } finally {
    Logger.overrideLogger(false);
  }
});

it.each([
  ['POST', '/users/ada/tokens/SECRET', 405],
  ['PUT', '/users/ada//tokens/SECRET', 404],
  ['PUT', '/Users/ada/Tokens/SECRET', 404],
])('%s %s answers without quoting the token', async (method, path, status) => {
  const response = await gateway.request(path, { method });

  expect(response.status).toBe(status);
  expect(await response.text()).not.toContain('SECRET');
});
