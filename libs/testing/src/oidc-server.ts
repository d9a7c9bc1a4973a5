import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The part of oidc-provider that this server uses; the package has no types. */
interface Provider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
  Grant: new (of: { accountId: string; clientId: string }) => { addOIDCScope(scopes: string): void; save(): Promise<string> };
}
interface Context {
  path: string;
  body: { id_token?: string };
}
interface Interaction {
  prompt: { name: string };
  params: { client_id: string; scope: string };
  session?: { accountId: string };
}

/** Who signs in next, with the groups that the issuer knows of them. */
export interface OidcUser {
  readonly sub: string;
  readonly name: string;
  readonly groups: readonly string[];
}

type Claims = Record<string, unknown>;
const CLIENT = { client_id: 'tidings', client_secret: 'a-secret-of-the-client' };
const SCOPES = 'openid profile email groups';
const KEY_ID = 'signing';

/** A real OpenID provider, whose next user signs in without a form. */
export class OidcServer {
  readonly clientId = CLIENT.client_id;
  readonly clientSecret = CLIENT.client_secret;
  readonly scopes = SCOPES;
  user: OidcUser = { sub: 'u-1', name: 'Ada Lovelace', groups: [] };
  /** Whether the user refuses to sign in. */
  denies = false;
  /** Changes the ID tokens of answers. */
  changeIdToken?: (claims: Claims) => string;
  private readonly key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  private provider?: Provider;

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {
    server.on('request', (request, response) => {
      this.answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
    });
  }

  /** Listens; without a client yet. @param host for the issuer: `localhost` and `127.0.0.1` are two sites for browsers */
  static async start(host = '127.0.0.1'): Promise<OidcServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OidcServer(server, `http://${host}:${(server.address() as AddressInfo).port}`);
  }

  /** Registers the client. */
  register(redirectUri: string, { authenticatesBy = 'client_secret_basic' } = {}): void {
    const provider = newProvider(this.issuer, {
      clients: [{ ...CLIENT, redirect_uris: [redirectUri], token_endpoint_auth_method: authenticatesBy }],
      jwks: { keys: [{ ...this.key.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }] },
      cookies: { keys: ['a-key-of-the-cookies'] },
      claims: { openid: ['sub'], profile: ['name'], groups: ['groups'], email: ['email'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context: object, { uid }: { uid: string }) => `/interaction/${uid}` },
      ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 300, IdToken: 300, Interaction: 300, Session: 300 },
      findAccount: (_context: object, sub: string) => ({ accountId: sub, claims: () => ({ ...this.user, sub }) }),
    });
    provider.use(async (context, next) => {
      await next();
      const token = context.path === '/token' ? context.body?.id_token : undefined;
      if (token !== undefined && this.changeIdToken) context.body.id_token = this.changeIdToken(claimsOf(token));
    });
    this.provider = provider;
  }

  /** An ID token of this server. */
  sign(claims: Claims, header: object = { alg: 'RS256', kid: KEY_ID }): string {
    const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${text}.${createSign('RSA-SHA256').update(text).sign(this.key, 'base64url')}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse) {
    if (!this.provider) return void response.writeHead(503).end();
    if (!request.url!.startsWith('/interaction/')) return this.provider.callback()(request, response);
    const result = await this.resultOf(this.provider, await this.provider.interactionDetails(request, response));
    await this.provider.interactionFinished(request, response, result);
  }

  private async resultOf(provider: Provider, { prompt, params, session }: Interaction): Promise<object> {
    if (this.denies) return { error: 'access_denied', error_description: 'The user refused' };
    if (prompt.name === 'login') return { login: { accountId: this.user.sub } };
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    return { consent: { grantId: await grant.save() } };
  }
}

/** It warns of Node 20 and of what only production needs. */
function newProvider(issuer: string, configuration: object) {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    const { Provider } = require('oidc-provider') as { Provider: new (issuer: string, configuration: object) => Provider };
    return new Provider(issuer, configuration);
  } finally {
    console.warn = warn;
  }
}

function claimsOf(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Claims;
}
