import type { VerifiedKey } from '@tidings/contracts/identity/keys';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { things } from '../testing/test-operations';
import type { TokenSigner } from '../testing/token-signer';

const ALLOWED = 'https://app.example';
const FOREIGN = 'https://elsewhere.example';

let gateway: TestGateway;
let issuer: VerifiedKey;
let signer: TokenSigner;
beforeAll(async () => {
  gateway = await startTestGateway({ corsOrigins: [ALLOWED] });
  issuer = gateway.client.addKey('issuer');
  [signer] = gateway.client.signers as [TokenSigner];
});
afterAll(() => gateway.stop());

const put = (headers: Record<string, string>): Promise<Response> =>
  gateway.request('/things/one', { method: 'PUT', body: '{}', headers: { 'content-type': 'application/json', ...headers } });

describe('an API key of a page', () => {
  it.each([
    ['of another site', FOREIGN],
    ['without an origin of its own', 'null'],
    ['at a host that begins alike', `${ALLOWED}.evil.example`],
    ['at another port', `${ALLOWED}:444`],
    ['without TLS', 'http://app.example'],
  ])('%s is refused before its request has an effect', async (_what, origin) => {
    const calls = gateway.client.callsOf(things.put).length;

    const answer = await put({ origin });

    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await expectError(answer, 403, 'authorization_error')).toContain(`A page of ${origin} may not use an API key`);
    const send = { method: 'POST', body: '{"message":{"template":"t","to":{"user_id":"ada"}}}', headers: { origin } };
    await expectError(await gateway.request('/send', send), 403, 'authorization_error');
    expect([gateway.client.callsOf(things.put).length, gateway.events.appended]).toEqual([calls, []]);
  });

  it('is accepted from a configured origin and from the gateway itself, behind a proxy with TLS too', async () => {
    for (const origin of [ALLOWED, gateway.url, gateway.url.replace('http:', 'https:')]) expect((await put({ origin })).status).toBe(200);
  });

  it('is unauthenticated when it is unknown', async () => {
    const answer = await put({ origin: FOREIGN, authorization: 'Bearer wrong' });

    await expectError(answer, 401, 'authentication_error');
  });
});

it('a token is accepted from every page, which may read the answer', async () => {
  const authorization = `Bearer ${signer.issue(issuer, 'write:things')}`;

  for (const origin of [FOREIGN, 'null', ALLOWED]) {
    const answer = await put({ origin, authorization });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  }
});

it('a request with a cookie gets no CORS headers', async () => {
  const authorization = `Bearer ${signer.issue(issuer, 'write:things')}`;
  const preflight = { origin: FOREIGN, 'access-control-request-method': 'PUT', cookie: 'a=b' };

  const answers = [
    await put({ origin: FOREIGN, authorization, cookie: 'a=b' }),
    await put({ origin: ALLOWED, cookie: 'a=b' }),
    await fetch(`${gateway.url}/things/one`, { method: 'OPTIONS', headers: preflight }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 204]);
  for (const { headers } of answers) expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
});
