import { HOUR_MS } from '@tidings/contracts/core/duration';
import type { OidcSettings } from '@tidings/runtime/oidc-configuration';
import type * as OpenIdClient from 'openid-client' with { 'resolution-mode': 'import' };
import { type Claims, groupsIn, nameIn } from './claims';
import { SignInRefusal } from './refusals';

type Configuration = OpenIdClient.Configuration;

/** Each request to the issuer ends within this time. */
const REQUEST_SECONDS_MAX = 5;
const METADATA_MS_MAX = HOUR_MS;
/** Names that issuers give to what they refuse because of how the client authenticated. */
const INVALID_CLIENT = 'invalid_client';

/** Loaded at the first sign-in. */
const openIdClient = () => require('openid-client') as typeof OpenIdClient;

/** What a sign-in must answer to, known to this browser alone. */
export interface Challenge {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

/** Who signed in, as the issuer says. */
export interface Identified {
  readonly subject: string;
  readonly claims: Claims;
}

/**
 * The issuer that signs people in. Its metadata is loaded by the first sign-in, and again after an hour: an issuer that is down neither
 * keeps a gateway from starting nor is remembered as down. The operator configures it, so that it may have a private address.
 */
export class Issuer {
  /** One for each way in which a client may authenticate, the most probable first. */
  private cached?: { configurations: Promise<readonly Configuration[]>; until: number };

  constructor(private readonly settings: OidcSettings) {}

  newChallenge(): Challenge {
    const { randomState, randomNonce, randomPKCECodeVerifier } = openIdClient();
    return { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  }

  /** Where the browser signs in. @throws SignInRefusal `unreachable` */
  async addressFor({ state, nonce, verifier }: Challenge, redirectUri: string) {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = openIdClient();
    const [configuration] = await this.discovered();
    return buildAuthorizationUrl(configuration!, {
      redirect_uri: redirectUri,
      scope: this.settings.scopes,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /** Exchanges the code in the address to which the issuer sent the browser. @throws SignInRefusal */
  async identify(address: URL, { state, nonce, verifier }: Challenge): Promise<Identified> {
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
    const configurations = await this.discovered();
    for (const [index, configuration] of configurations.entries()) {
      try {
        const tokens = await openIdClient().authorizationCodeGrant(configuration, address, checks);
        const claims = tokens.claims()!; // there are some, with the nonce
        return { subject: claims.sub, claims: await this.completed(configuration, claims, tokens.access_token) };
      } catch (error) {
        // Metadata says what the issuer accepts, not what it accepts of this client. The code is still unused then.
        const isLast = index === configurations.length - 1;
        if (isLast || !isInvalidClient(error)) throw refusalOf(error);
      }
    }
    throw new Error('The issuer has no configuration');
  }

  /** With the claims of the user info, where those of the ID token say neither groups nor a name. */
  private async completed(configuration: Configuration, claims: Claims & { sub: string }, accessToken: string): Promise<Claims> {
    const isComplete = groupsIn(claims, this.settings.groupsClaim) !== undefined && nameIn(claims) !== undefined;
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await openIdClient().fetchUserInfo(configuration, accessToken, claims.sub)), ...claims };
  }

  private async discovered() {
    const now = performance.now();
    if (!this.cached || now >= this.cached.until) this.cached = { configurations: this.discover(), until: now + METADATA_MS_MAX };
    const cached = this.cached;
    try {
      return await cached.configurations;
    } catch (error) {
      if (this.cached === cached) this.cached = undefined;
      throw new SignInRefusal('unreachable', `The issuer ${this.settings.issuer} has no metadata: ${textOf(error)}`, { cause: error });
    }
  }

  private async discover(): Promise<readonly Configuration[]> {
    const { allowInsecureRequests, ClientSecretBasic, ClientSecretPost, Configuration, discovery, enableNonRepudiationChecks, None } =
      openIdClient();
    const { issuer, clientId, clientSecret } = this.settings;
    const isLocal = issuer.startsWith('http:');
    const options = { timeout: REQUEST_SECONDS_MAX, ...(isLocal && { execute: [allowInsecureRequests] }) };
    const metadata = (await discovery(new URL(issuer), clientId, undefined, None(), options)).serverMetadata();
    const [basic, post] = [() => ClientSecretBasic(clientSecret), () => ClientSecretPost(clientSecret)];
    const isPost = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false;
    const methods = clientSecret === undefined ? [None] : isPost ? [post, basic] : [basic, post];
    return methods.map((method) => {
      const configuration = new Configuration(metadata, clientId, clientSecret, method());
      configuration.timeout = REQUEST_SECONDS_MAX;
      if (isLocal) allowInsecureRequests(configuration);
      enableNonRepudiationChecks(configuration); // signatures, also of tokens that came by TLS
      return configuration;
    });
  }
}

function isInvalidClient(error: unknown) {
  const { error: name, status } = error as { error?: unknown; status?: unknown };
  return name === INVALID_CLIENT || status === 401;
}

/** Why an answer of the issuer signs no one in. */
function refusalOf(error: unknown) {
  const { code, error: name, status } = error as { code?: unknown; error?: unknown; status?: unknown };
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    return new SignInRefusal('denied', `The issuer refused: ${String(name)}`, { cause: error });
  }
  const isDown = isNetworkError(error) || failedStatusOf(error, status) >= 500;
  return new SignInRefusal(isDown ? 'unreachable' : 'invalid', `The answer of the issuer: ${textOf(error)}`, { cause: error });
}

/** The status of the answer that an error is about: its own, or that of the answer that is its cause; 0 for others. */
function failedStatusOf(error: unknown, status: unknown): number {
  if (typeof status === 'number') return status;
  const { cause } = error as Error;
  if (cause instanceof Response) return cause.status;
  return cause instanceof Error ? failedStatusOf(cause, undefined) : 0;
}

/** `fetch` failed, or its time was over. */
function isNetworkError(error: unknown) {
  const { code, name, message } = error as Error & { code?: unknown };
  return code === 'OAUTH_TIMEOUT' || name === 'TimeoutError' || (error instanceof TypeError && message === 'fetch failed');
}

/** An error with its causes, which have the reason. They contain no secret of the client. */
function textOf(error: unknown): string {
  const { message, cause, error: name } = error as Error & { error?: unknown };
  const own = typeof name === 'string' ? `${message}: ${name}` : message;
  return cause instanceof Error && cause.message !== message ? `${own}: ${textOf(cause)}` : own;
}
