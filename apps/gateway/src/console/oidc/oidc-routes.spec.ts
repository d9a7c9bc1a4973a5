import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { ServiceError } from '@tidings/contracts/core/errors';
import { SESSION_COOKIE } from '@tidings/contracts/core/session-names';
import { OIDC_PATHS, sessions, type StartSession } from '@tidings/contracts/identity/sessions';
import { OidcServer } from '@tidings/testing/oidc-server';
import type { OidcSettings } from '@tidings/runtime/oidc-configuration';
import { hashOfSession } from '../../auth/session-cookie';
import { startTestGateway, type TestGateway } from '../../testing/start-test-gateway';
import { ownAddress } from './own-address';

const SECRET_KEYS = [Buffer.alloc(32, 1)];

let issuer: OidcServer;
let settings: OidcSettings;
let gateway: TestGateway;

beforeAll(async () => {
  issuer = await OidcServer.start();
  settings = {
    issuer: issuer.issuer,
    clientId: issuer.clientId,
    clientSecret: issuer.clientSecret,
    scopes: issuer.scopes,
    groupsClaim: 'groups',
    label: 'Acme',
    roles: [
      { group: 'ops', role: 'admin', workspace: 'default' },
      { group: 'helpdesk', role: 'support', workspace: 'shop' },
    ],
  };
  gateway = await start(settings);
  issuer.register(gateway.url + OIDC_PATHS.callback);
});
afterAll(async () => {
  await gateway?.stop();
  await issuer?.close();
});
beforeEach(() => {
  issuer.user = { sub: 'u-1', name: 'Ada Lovelace', groups: ['staff', 'helpdesk'] };
  issuer.denies = false;
  issuer.changeIdToken = undefined;
  gateway.client.answer(sessions.start, () => undefined);
});

const start = (oidc?: OidcSettings, consoleUrl?: string): Promise<TestGateway> =>
  startTestGateway({ oidc, consoleUrl, secretKeys: SECRET_KEYS });
const started = (): StartSession[] => gateway.client.callsOf(sessions.start).map(({ request }) => request as unknown as StartSession);

/** Requests without following, with the cookies of a jar, which gets those of the answer. */
async function visit(url: string, jar: Map<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(url, { redirect: 'manual', headers: { ...headers, ...(cookie && { cookie }) } });
  for (const set of answer.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
    if (value === '') jar.delete(name!);
    else jar.set(name!, value!);
  }
  return answer;
}
const locationOf = (answer: Response): string => answer.headers.get('location') ?? '';

/** Begins a sign-in; resolves with the issuer's address, and the browser's cookies at the gateway. */
async function begin(
  to = '/console/messages?status=SENT',
  own = new Map<string, string>(),
): Promise<{ address: string; own: Map<string, string> }> {
  const answer = await visit(`${gateway.url}${OIDC_PATHS.start}?to=${encodeURIComponent(to)}`, own);
  expect(answer.status).toBe(303);
  return { address: locationOf(answer), own };
}

/** The address to which the issuer sends the browser after the person has signed in. */
async function callbackOf(address: string): Promise<string> {
  const jar = new Map<string, string>();
  let next = address;
  while (new URL(next).origin === issuer.issuer) {
    const answer = await visit(next, jar);
    if (answer.status >= 400) throw new Error(`The issuer answered ${answer.status} at ${next}: ${await answer.text()}`);
    next = new URL(locationOf(answer), next).href;
  }
  return next;
}

/** A whole sign-in; resolves with the answer to the callback. */
async function signIn(): Promise<Response> {
  const { address, own } = await begin();
  return visit(await callbackOf(address), own);
}

it('signs a person in with the role of their first configured group, and leads to the requested address', async () => {
  const before = started().length;
  const { address, own } = await begin();
  const query = new URL(address).searchParams;
  expect([query.get('response_type'), query.get('code_challenge_method')]).toEqual(['code', 'S256']);
  for (const name of ['state', 'nonce', 'code_challenge']) expect(query.get(name)).toMatch(/^[\w-]{43}$/);

  const answer = await visit(await callbackOf(address), own);

  expect([answer.status, locationOf(answer)]).toEqual([303, '/console/messages?status=SENT']);
  const id = own.get(SESSION_COOKIE)!;
  expect(started().slice(before)).toEqual([
    { hash: hashOfSession(id), person: { id: 'u-1', name: 'Ada Lovelace', role: 'support', workspace: 'shop' } },
  ]);
  const [removal, session] = answer.headers.getSetCookie();
  expect(removal).toBe(`tidings_oidc=; Max-Age=0; Path=${OIDC_PATHS.callback}; HttpOnly; SameSite=Lax`);
  expect(session).toBe(`${SESSION_COOKIE}=${id}; Path=/; HttpOnly; SameSite=Strict`);
  expect([answer.headers.get('cache-control'), answer.headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
});

it('keeps what it began in a cookie of ten minutes on the path of the callback, which shows nothing of it', async () => {
  const answer = await visit(gateway.url + OIDC_PATHS.start, new Map());
  const state = new URL(locationOf(answer)).searchParams.get('state')!;
  const [cookie] = answer.headers.getSetCookie();

  expect(cookie).toMatch(new RegExp(`^tidings_oidc=[\\w-]+; Max-Age=600; Path=${OIDC_PATHS.callback}; HttpOnly; SameSite=Lax$`));
  expect(Buffer.from(cookie!, 'base64url').toString()).not.toContain(state);
});

it('ends the session that the browser had when it began; each sign-in has a new id', async () => {
  const earlier = 'e'.repeat(43);
  const { address, own } = await begin(undefined, new Map([[SESSION_COOKIE, earlier]]));
  own.delete(SESSION_COOKIE); // a strict cookie does not come from the issuer's page

  await visit(await callbackOf(address), own);

  expect(started().at(-1)!.previous_hash).toBe(hashOfSession(earlier));
  expect(own.get(SESSION_COOKIE)).not.toBe(earlier);
});

it('uses TLS where the configured address does', async () => {
  const secure = await start(settings, 'https://tidings.example.com');
  const answer = await visit(secure.url + OIDC_PATHS.start, new Map());
  await secure.stop();

  expect(new URL(locationOf(answer)).searchParams.get('redirect_uri')).toBe(`https://tidings.example.com${OIDC_PATHS.callback}`);
  expect(answer.headers.getSetCookie()[0]).toContain('; Secure');
});

it('signs in where the issuer wants the secret in the body', async () => {
  issuer.register(gateway.url + OIDC_PATHS.callback, { authenticatesBy: 'client_secret_post' });
  try {
    expect(locationOf(await signIn())).toBe('/console/messages?status=SENT');
  } finally {
    issuer.register(gateway.url + OIDC_PATHS.callback);
  }
});

describe('a sign-in is refused', () => {
  /** The code in the address of the console, and that no session was opened. */
  async function refusalOf(run: () => Promise<Response>): Promise<string> {
    const before = started().length;
    const answer = await run();
    expect([answer.status, started().length]).toEqual([303, before]);
    expect(answer.headers.getSetCookie().join()).not.toContain(SESSION_COOKIE);
    return locationOf(answer);
  }
  const at = (code: string): string => `/console/messages?status=SENT#refused=${code}`;

  it('when the person denies it', async () => {
    issuer.denies = true;
    expect(await refusalOf(signIn)).toBe(at('denied'));
  });

  it('when no group has a role', async () => {
    for (const groups of [['staff'], []]) {
      issuer.user = { ...issuer.user, groups };
      expect(await refusalOf(signIn)).toBe(at('group'));
    }
  });

  it('with another state, and the sign-in that began continues', async () => {
    const { address, own } = await begin();
    const callback = await callbackOf(address);
    const changed = new URL(callback);
    changed.searchParams.set('state', 'x'.repeat(43));

    expect(await refusalOf(() => visit(changed.href, own))).toBe(at('expired'));
    expect(locationOf(await visit(callback, own))).toBe('/console/messages?status=SENT');
  });

  it('when it is repeated, by the browser or with its cookie', async () => {
    const { address, own } = await begin();
    const copy = new Map(own);
    const callback = await callbackOf(address);
    await visit(callback, own);

    expect(await refusalOf(() => visit(callback, own))).toBe('/console#refused=expired');
    expect(await refusalOf(() => visit(callback, copy))).toBe(at('invalid'));
  });

  it('after ten minutes, without its cookie, and with a changed one', async () => {
    const { address, own } = await begin();
    const callback = await callbackOf(address);
    const value = own.get('tidings_oidc')!;
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 600_000);
    try {
      expect(await refusalOf(() => visit(callback, own))).toBe('/console#refused=expired');
    } finally {
      clock.mockRestore();
    }
    for (const jar of [new Map<string, string>(), new Map([['tidings_oidc', `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`]])])
      expect(await refusalOf(() => visit(callback, jar))).toBe('/console#refused=expired');
  });

  it.each<[string, (claims: Record<string, unknown>) => string]>([
    ['another nonce', (claims) => issuer.sign({ ...claims, nonce: 'n'.repeat(43) })],
    ['no nonce', ({ nonce: _nonce, ...claims }) => issuer.sign(claims)],
    ['another audience', (claims) => issuer.sign({ ...claims, aud: 'another-client' })],
    ['another issuer', (claims) => issuer.sign({ ...claims, iss: 'https://elsewhere.example' })],
    ['an end in the past', (claims) => issuer.sign({ ...claims, exp: Math.floor(Date.now() / 1_000) - 60 })],
    ['another subject than signed', (claims) => withSubject(issuer.sign(claims), 'u-2')],
    ['no signature', (claims) => issuer.sign(claims, { alg: 'none' }).replace(/[^.]*$/, '')],
    ['the algorithm "none" and a signature', (claims) => issuer.sign(claims, { alg: 'none' })],
  ])('when the ID token has %s', async (_what, change) => {
    issuer.changeIdToken = change;
    expect(await refusalOf(signIn)).toBe(at('invalid'));
  });

  it('while the issuer is down, when it begins and when it ends; afterwards it works', async () => {
    const down = await OidcServer.start(); // without a client: 503
    const other = await start({ ...settings, issuer: down.issuer });
    const open = (): Promise<Response> => visit(`${other.url}${OIDC_PATHS.start}?to=/console/users`, new Map());
    expect(await refusalOf(open)).toBe('/console/users#refused=unreachable');
    down.register(other.url + OIDC_PATHS.callback);
    const own = new Map<string, string>();
    const address = locationOf(await visit(other.url + OIDC_PATHS.start, own));
    expect(address).toContain(`${down.issuer}/auth?`);

    await down.close();

    const callback = `${other.url}${OIDC_PATHS.callback}?code=c&iss=${down.issuer}&state=${new URL(address).searchParams.get('state')!}`;
    expect(await refusalOf(() => visit(callback, own))).toBe('/console#refused=unreachable');
    await other.stop();
  });

  it('when the workspace does not exist, and while identity is unavailable', async () => {
    for (const [code, shown] of [
      ['not_found', 'workspace'],
      ['unavailable', 'busy'],
    ] as const) {
      gateway.client.answer(sessions.start, () => {
        throw new ServiceError(code, 'Not now');
      });
      const answer = await signIn();
      expect([locationOf(answer), answer.headers.getSetCookie().join()]).toEqual([at(shown), expect.not.stringContaining(SESSION_COOKIE)]);
    }
  });

  it('without an issuer', async () => {
    const without = await start();
    expect(await refusalOf(() => visit(without.url + OIDC_PATHS.start, new Map()))).toBe('/console#refused=off');
    expect(await refusalOf(() => visit(`${without.url}${OIDC_PATHS.callback}?code=c`, new Map()))).toBe('/console#refused=off');
    await without.stop();
  });
});

it('is finished with a code that has a question mark, and a name that is cut between characters', async () => {
  issuer.user = { ...issuer.user, name: `${'x'.repeat(199)}\u{1f600}` };
  const { address, own } = await begin();
  const { origin, search } = new URL(await callbackOf(address));
  await visit(`${origin}${OIDC_PATHS.callback}?unknown=a?b&${search.slice(1)}`, own);

  expect(started().at(-1)!.person!.name).toBe(`${'x'.repeat(199)}\u{fffd}`);
});

it('is refused where the request names no host', async () => {
  const { hostname, port } = new URL(gateway.url);
  const request = get({ hostname, port, path: OIDC_PATHS.start, headers: { host: 'no host' } });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.resume();

  expect([answer.statusCode, answer.headers.location]).toEqual([303, '/console#refused=invalid']);
});

it('is not started by a page of another origin', async () => {
  const answer = await visit(`${gateway.url}${OIDC_PATHS.start}?to=/console/users`, new Map(), { 'sec-fetch-site': 'cross-site' });

  expect([locationOf(answer), answer.headers.getSetCookie()]).toEqual(['/console/users', []]);
});

it.each([
  ['/console/users?query=a', '/console/users?query=a'],
  ['/console', '/console'],
  ['/console/users#fragment', '/console/users'],
  ['https://elsewhere.example/console/', '/console'],
  ['//elsewhere.example/console/', '/console'],
  ['/\\elsewhere.example/console/', '/console'],
  ['/\t/elsewhere.example/console/', '/console'],
  ['/consoles', '/console'],
  ['/console/../admin/workspaces', '/console'],
  ['/console/api/oidc/sign-in', '/console'],
  ['javascript:alert(1)', '/console'],
  ['', '/console'],
])('leads to own addresses alone: %j', (given, address) => {
  expect(ownAddress(given)).toBe(address);
});

it('leads to its first page where an address is too long for a cookie once it is encoded', () => {
  expect(ownAddress(`/console/users?query=${'\u{1f600}'.repeat(900)}`)).toBe('/console');
});

it('says in the session who signs people in', async () => {
  const body = await (await fetch(`${gateway.url}/console/api/session`)).json();

  expect(body).toEqual({ session: null, sign_in_with: 'Acme' });
});

/** The same token with other claims: its signature no longer fits. */
function withSubject(token: string, sub: string): string {
  const [header, claims, signature] = token.split('.') as [string, string, string];
  const changed = { ...(JSON.parse(Buffer.from(claims, 'base64url').toString()) as object), sub };
  return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
}
