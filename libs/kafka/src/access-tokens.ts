import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { KafkaSasl, OauthClient } from './settings';

/** What a connection presents to its broker. */
export interface AccessToken {
  value: string;
  /** SASL extensions. */
  extensions?: Record<string, string>;
  /** How long it is valid from now on, in ms. Absent: it is used once. */
  lifetimeMs?: number;
}

type LoadToken = () => Promise<AccessToken>;

const ANSWER_MS_MAX = 5_000;
const ATTEMPTS = 3;
const RETRY_MS = 250;
/** A token is replaced when this part of its life is over. */
const USED_PART = 0.8;
/** Of an error code, which is shown. */
const CODE = /^[\x20-\x7e]{1,100}$/;
const DEFAULT_LIFETIME_S = 60;

/** Tokens for `oauthbearer`, loaded at first use and again before they expire; connections that need one meanwhile wait for the same. */
export class AccessTokens {
  private current?: AccessToken & { renewAt: number; expiresAt: number };
  private loading?: Promise<AccessToken>;

  constructor(
    private readonly load: LoadToken,
    private readonly now = () => performance.now(),
  ) {}

  static of({ tokens }: Extract<KafkaSasl, { mechanism: 'oauthbearer' }>): AccessTokens {
    return new AccessTokens('module' in tokens ? tokensOfModule(tokens.module) : () => requestToken(tokens));
  }

  /** A valid token. @throws what loading throws, when no loaded token is valid any more */
  async token(): Promise<AccessToken> {
    const { current } = this;
    if (current && this.now() < current.renewAt) return current;
    const isValid = current && this.now() < current.expiresAt;
    this.loading ??= this.renew().finally(() => (this.loading = undefined));
    return isValid ? this.loading.catch(() => current) : this.loading;
  }

  private async renew() {
    const loadedAt = this.now();
    const token = await this.load();
    const { lifetimeMs = 0 } = token;
    this.current = { ...token, renewAt: loadedAt + USED_PART * lifetimeMs, expiresAt: loadedAt + lifetimeMs };
    return token;
  }
}

/** A token for these credentials: the client credentials grant of RFC 6749. @throws Error that never contains the secret */
export async function requestToken({ tokenUrl, clientId, clientSecret, scope, extensions }: OauthClient): Promise<AccessToken> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) });
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const response = await postForm(tokenUrl, form, `Basic ${Buffer.from(credentials).toString('base64')}`);
  const body = (await response.json().catch(() => ({}))) as { access_token?: unknown; expires_in?: unknown; error?: unknown };
  if (!response.ok) {
    const code = typeof body.error === 'string' && CODE.test(body.error) ? ` (${body.error})` : '';
    throw new Error(`The token endpoint ${tokenUrl} answers ${response.status}${code}`);
  }
  if (typeof body.access_token !== 'string') throw new Error(`The token endpoint ${tokenUrl} answers without access_token`);
  const seconds = Number(body.expires_in ?? DEFAULT_LIFETIME_S) || DEFAULT_LIFETIME_S;
  return { value: body.access_token, extensions, lifetimeMs: seconds * 1_000 };
}

/** Retries what may pass: no answer, and statuses from 500. Follows no redirects: they would get the secret. */
async function postForm(url: string, form: URLSearchParams, authorization: string) {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
        redirect: 'error',
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      if (response.status < 500 || attempt === ATTEMPTS) return response;
    } catch (error) {
      const { message, cause } = error as Error;
      const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
      if (attempt === ATTEMPTS) throw new Error(`The token endpoint ${url} does not answer: ${reason}`, { cause: error });
    }
    await delay(RETRY_MS);
  }
}

/** Calls the default export of an operator's module: `async () => ({ value, extensions?, lifetimeMs? })`. */
function tokensOfModule(path: string): LoadToken {
  return async () => {
    // CommonJS and ES modules alike, in every version of Node that runs Tidings.
    const loaded = createRequire(__filename)(path) as { default?: unknown } | undefined;
    const provide = typeof loaded === 'function' ? (loaded as unknown) : loaded?.default;
    if (typeof provide !== 'function') throw new Error(`TIDINGS_KAFKA_OAUTH_MODULE: ${path} has no default export that is a function`);
    const token = (await (provide as LoadToken)()) as Partial<AccessToken> | undefined;
    if (typeof token?.value !== 'string') throw new Error(`TIDINGS_KAFKA_OAUTH_MODULE: ${path} gives no token with a value`);
    return token as AccessToken;
  };
}
