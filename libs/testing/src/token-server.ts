import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An authorization server for tests: the client credentials grant for one client, JWTs signed with RS256, and their keys (JWKS). */
export class TokenServer {
  readonly issuer = 'https://issuer.test';
  readonly audience = 'kafka';
  readonly clientId = 'tidings';
  /** Characters that HTTP basic authentication of OAuth escapes. */
  readonly clientSecret = 's:e c/ret%';
  /** Tokens issued so far, with the requested scopes. */
  readonly issued: { scope: string | null; expiresAt: number }[] = [];
  /** Lifetime of the next tokens. */
  lifetimeS = 300;
  /** While it is set, requests for tokens get this status. */
  failsWith?: number;
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  private readonly keyId = randomUUID();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TokenServer> {
    const server = createServer((request, response) => {
      tokens.answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
    });
    const tokens = new TokenServer(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return tokens;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get tokenUrl(): string {
    return `${this.url}/token`;
  }

  get jwksUrl(): string {
    return `${this.url}/jwks`;
  }

  /** The client of this server. */
  get client() {
    const { tokenUrl, clientId, clientSecret } = this;
    return { tokenUrl, clientId, clientSecret };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  /** A token whose subject is the client. */
  sign(lifetimeS = this.lifetimeS): string {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: this.issuer, aud: this.audience, sub: this.clientId, iat: now, exp: now + lifetimeS, jti: randomUUID() };
    const signed = [{ alg: 'RS256', typ: 'JWT', kid: this.keyId }, claims].map(encode).join('.');
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(this.keys.privateKey, 'base64url')}`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse) {
    if (request.url === '/jwks') return json(response, 200, { keys: [this.publicKey()] });
    if (request.url !== '/token' || request.method !== 'POST') return json(response, 404, {});
    if (this.failsWith) return json(response, this.failsWith, { error: 'temporarily_unavailable' });
    const form = new URLSearchParams(await text(request));
    if (form.get('grant_type') !== 'client_credentials') return json(response, 400, { error: 'unsupported_grant_type' });
    const credentials = [this.clientId, this.clientSecret].map(encodeURIComponent).join(':');
    if (request.headers.authorization !== `Basic ${Buffer.from(credentials).toString('base64')}`)
      return json(response, 401, { error: 'invalid_client' });
    this.issued.push({ scope: form.get('scope'), expiresAt: Date.now() + this.lifetimeS * 1_000 });
    return json(response, 200, { access_token: this.sign(), token_type: 'Bearer', expires_in: this.lifetimeS });
  }

  private publicKey() {
    return { ...this.keys.publicKey.export({ format: 'jwk' }), kid: this.keyId, alg: 'RS256', use: 'sig' };
  }
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

function json(response: ServerResponse, status: number, body: object) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
