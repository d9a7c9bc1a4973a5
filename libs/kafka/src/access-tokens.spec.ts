import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TokenServer } from '@tidings/testing/token-server';
import { type AccessToken, AccessTokens, requestToken } from './access-tokens';

describe('a token of the client credentials grant', () => {
  let server: TokenServer;
  beforeAll(async () => (server = await TokenServer.start()));
  afterAll(() => server.close());
  afterEach(() => (server.failsWith = undefined));

  it('is requested with client, secret and scope, and has the lifetime of the answer', async () => {
    const token = await requestToken({ ...server.client, scope: 'kafka.write', extensions: { pool: 'a' } });

    expect(token).toEqual({ value: expect.stringMatching(/^ey/) as string, extensions: { pool: 'a' }, lifetimeMs: 300_000 });
    expect(server.issued.at(-1)).toMatchObject({ scope: 'kafka.write' });
  });

  it('is refused to another secret, which the error does not show', async () => {
    const refused = requestToken({ ...server.client, clientSecret: 'guessed-secret' });

    await expect(refused).rejects.toThrow(`The token endpoint ${server.tokenUrl} answers 401 (invalid_client)`);
    await expect(refused).rejects.not.toThrow('guessed-secret');
  });

  it('is requested again from an endpoint that fails, and then named in the error', async () => {
    server.failsWith = 503;
    await expect(requestToken(server.client)).rejects.toThrow('answers 503 (temporarily_unavailable)');

    const unanswered = requestToken({ ...server.client, tokenUrl: 'http://127.0.0.1:1/token' });
    await expect(unanswered).rejects.toThrow('http://127.0.0.1:1/token does not answer');
  });
});

describe('tokens of a process', () => {
  function tokensWith(load: () => Promise<AccessToken>) {
    let now = 0;
    const tokens = new AccessTokens(load, () => now);
    return { value: async () => (await tokens.token()).value, at: (ms: number) => (now = ms) };
  }

  it('are replaced when four fifths of their life are over', async () => {
    let count = 0;
    const { value, at } = tokensWith(() => Promise.resolve({ value: String(++count), lifetimeMs: 1_000 }));

    expect(await Promise.all([value(), value()])).toEqual(['1', '1']);
    at(799);
    expect(await value()).toBe('1');
    at(800);
    expect(await value()).toBe('2');
  });

  it('are used until they expire while no new one can be had', async () => {
    let fails = false;
    const old = { value: 'old', lifetimeMs: 1_000 };
    const { value, at } = tokensWith(() => (fails ? Promise.reject(new Error('no answer')) : Promise.resolve(old)));
    await value();
    fails = true;

    at(999);
    expect(await value()).toBe('old');
    at(1_000);
    await expect(value()).rejects.toThrow('no answer');
  });

  it('without a lifetime are loaded for each connection', async () => {
    let count = 0;
    const { value } = tokensWith(() => Promise.resolve({ value: String(++count) }));

    expect([await value(), await value()]).toEqual(['1', '2']);
  });
});

describe("tokens of an operator's module", () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-tokens-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const tokensOf = (name: string, source: string): Promise<AccessToken> => {
    const module = join(folder, name);
    writeFileSync(module, source);
    return AccessTokens.of({ mechanism: 'oauthbearer', tokens: { module } }).token();
  };

  it('are those of its default export', async () => {
    const source = "export default async () => ({ value: 'signed', lifetimeMs: 900_000 })";
    expect(await tokensOf('good.mjs', source)).toEqual({ value: 'signed', lifetimeMs: 900_000 });
    expect(await tokensOf('good.cjs', "module.exports = async () => ({ value: 'common' })")).toEqual({ value: 'common' });
  });

  it('are missed with the name of the variable', async () => {
    const none = tokensOf('none.mjs', 'export const token = 1');
    await expect(none).rejects.toThrow(/TIDINGS_KAFKA_OAUTH_MODULE: .*none.mjs has no default export/);
    await expect(tokensOf('empty.mjs', 'export default async () => ({})')).rejects.toThrow(/empty.mjs gives no token with a value/);
  });
});
