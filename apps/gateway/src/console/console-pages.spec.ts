import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expectError } from '../testing/expect-error';
import { rawRequest } from '../testing/raw-http';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

const SCRIPT = 'console.log("started");\n';
const PAGE = `<!doctype html><head><meta property="csp-nonce" nonce="__CSP_NONCE__"></head><script type="module" src="/console/assets/app-1a2b.js"></script><noscript>No scripts</noscript>`;
const NONCE = /nonce="([\w+/]{22}==)"/;

const directory = mkdtempSync(path.join(tmpdir(), 'tidings-console-'));
mkdirSync(path.join(directory, 'assets'));
for (const [name, content] of [
  ['index.html', PAGE],
  ['robots.txt', 'User-agent: *'],
  ['assets/app-1a2b.js', SCRIPT],
  ['assets/app-1a2b.js.br', brotliCompressSync(SCRIPT)],
  ['assets/app-1a2b.js.gz', gzipSync(SCRIPT)],
  ['assets/app-3c4d.css', 'a{}'],
  ['assets/removed-5e6f.js', SCRIPT],
] as const) {
  writeFileSync(path.join(directory, name), content);
}

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ consoleDirectory: directory });
  rmSync(path.join(directory, 'assets/removed-5e6f.js'));
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true });
});

const get = (address: string, headers: Record<string, string> = {}): Promise<Response> => fetch(`${gateway.url}${address}`, { headers });

describe('the page of the console', () => {
  it.each(['', '/', '/messages', '/messages/1-69a40ce0-5f2b9c01d3e84a7766aa10fe?status=SENT', '/users/ada%40example.com', '/users/a.js'])(
    'is at /console%s',
    async (address) => {
      const answer = await get(`/console${address}`);

      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect((await answer.text()).replace(NONCE, 'nonce="__CSP_NONCE__"')).toBe(PAGE);
    },
  );

  it('has a nonce of its own in each answer, and allows nothing else', async () => {
    const answers = await Promise.all([get('/console'), get('/console')]);

    const nonces = await Promise.all(
      answers.map(async (answer) => {
        const [, nonce] = NONCE.exec(await answer.text()) as unknown as [string, string];
        expect(Object.fromEntries(answer.headers)).toMatchObject({
          'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'cache-control': 'no-store',
        });
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(2);
  });
});

describe('the API reference', () => {
  it.each(['/docs', '/docs/get-things', '/docs/events/tidings.message-history.v1'])('is the same page, at %s', async (address) => {
    const answer = await get(address);
    const html = await answer.text();

    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toContain(`'nonce-${NONCE.exec(html)![1]}'`);
    expect(html).toContain('src="/console/assets/app-1a2b.js"');
  });

  it('lists the served operations where no script runs', async () => {
    const [, list] = /<noscript>([^]*)<\/noscript>/.exec(await (await get('/docs')).text()) as unknown as [string, string];

    expect(list).toContain('<code>GET /things/{thing_id}</code>');
    expect(list).not.toContain('/audit-events');
    expect(await (await get('/console')).text()).not.toContain('/things');
  });
});

describe('the frame for mails', () => {
  it.each([
    ['', 'img-src data:'],
    ['?images=remote', 'img-src https: data:'],
    ['?images=all', 'img-src data:'],
  ])('is empty, runs no script and loads nothing else: %s', async (query, images) => {
    const answer = await get(`/console/frame${query}`);

    expect(await answer.text()).toBe('<!doctype html><title>Rendered output</title>');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-security-policy': `sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; ${images}; frame-ancestors 'self'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });
});

describe('a file of the console', () => {
  it.each([
    ['br', 'gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip;q=0.5, deflate', 'gzip'],
    ['nothing', 'br;q=0, gzip; q=0.0', null],
    ['nothing', 'identity', null],
  ])('is sent as %s to a client that accepts %j, and never changes', async (_what, accepted, encoding) => {
    const answer = await get('/console/assets/app-1a2b.js', { 'accept-encoding': accepted });

    expect(await answer.text()).toBe(SCRIPT);
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    });
  });

  it('is sent as it is without a compressed form, and requested again where its name has no hash', async () => {
    const style = await get('/console/assets/app-3c4d.css', { 'accept-encoding': 'br' });
    expect([await style.text(), style.headers.get('content-type'), style.headers.get('content-encoding')]).toEqual([
      'a{}',
      'text/css; charset=utf-8',
      null,
    ]);
    expect((await get('/console/robots.txt')).headers.get('cache-control')).toBe('no-cache');
  });

  it.each([
    '/console/assets/app-0000.js',
    '/console/assets/removed-5e6f.js',
    '/console/assets/app-1a2b.js.br',
    '/console/assets/',
    '/console/api/nothing',
  ])('is missing, and no page: %s', async (address) => {
    await expectError(await get(address), 404);
  });

  it.each([
    '/console/../package.json',
    '/console/assets/../../../etc/passwd',
    '/console/..%2f..%2fetc%2fpasswd',
    '/console/assets/%2e%2e/%2e%2e/x',
  ])('is none outside the folder: %s', async (address) => {
    const { status, body } = await rawRequest(gateway.port, `GET ${address} HTTP/1.1\r\nHost: x\r\n\r\n`);

    expect(status === 404 || body.startsWith('<!doctype html><head><meta property="csp-nonce"')).toBe(true);
  });
});

it('says how to build it where it is not built', async () => {
  const other = await startTestGateway({ consoleDirectory: path.join(directory, 'assets') });
  const answer = await fetch(`${other.url}/console/messages`);
  await other.stop();

  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(await answer.text()).toContain('npm run build');
});
