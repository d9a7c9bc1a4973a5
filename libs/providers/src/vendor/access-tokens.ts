import { type Failed, failed, type Retry, retry } from '../provider';
import { classify, errorOf, isSuccess, jsonOf } from './classify';
import type { HttpAnswer } from './http-call';
import type { Transport } from './http-client';
import { untilAborted } from './until-aborted';
import type { Signer, VendorAnswer } from './vendor';

/** Where access tokens of OAuth 2.0 come from. */
export interface TokenSource {
  /** Of the vendor, for errors. */
  readonly name: string;
  readonly url: URL;
  /** The fields of a request, made for each: they may contain the time. */
  form(nowMs: number): Record<string, string>;
}

/** A token is renewed this long before it expires, or at nine tenths of a short life. */
const RENEW_BEFORE_MS = 5 * 60_000;
const LIFE_MS_DEFAULT = 60 * 60_000;

/** The access token of one account: requested when it is needed, kept until shortly before it expires, one request for concurrent calls. */
export class AccessTokens {
  private token?: { readonly text: string; readonly renewAtMs: number; readonly expiresAtMs: number };
  private requested?: Promise<string | Retry | Failed>;

  constructor(
    private readonly source: TokenSource,
    private readonly transport: Transport,
    private readonly now: () => number,
  ) {}

  /** A valid token, or the outcome of a call that needs one and cannot have it. */
  async get(signal?: AbortSignal): Promise<string | Retry | Failed> {
    if (this.token && this.now() < this.token.renewAtMs) return this.token.text;
    this.requested ??= this.request().finally(() => (this.requested = undefined));
    try {
      return await untilAborted(this.requested, signal);
    } catch (error) {
      if (signal?.aborted) return retry('The call was aborted before its answer');
      throw error;
    }
  }

  /** The vendor has refused a token; the next call gets another one. */
  drop(refused: string): void {
    if (this.token?.text === refused) this.token = undefined;
  }

  private async request() {
    const { name, url, form } = this.source;
    const answer = await this.transport.request({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form(this.now())).toString(),
    });
    const outcome = 'kind' in answer ? answer : this.read(answer, name);
    if (typeof outcome === 'string') return outcome;
    // While the last token is valid, a short outage of its source harms no call.
    if (outcome.kind === 'retry' && this.token && this.now() < this.token.expiresAtMs) return this.token.text;
    return { ...outcome, error: `No access token: ${outcome.error}` };
  }

  /** The answer's text is in no outcome beyond its error fields: it may be a token. */
  private read(answer: HttpAnswer, name: string) {
    const { access_token, expires_in, error, error_description } = jsonOf(answer.body);
    const words = errorOf(`The token server of ${name}`, answer.status, [error_description, error]);
    if (!isSuccess(answer)) {
      const outcome = classify(answer, words, `The token server of ${name}`, this.now());
      return outcome.kind === 'failed' ? failed(outcome.error, 'configuration') : outcome;
    }
    if (typeof access_token !== 'string' || access_token === '') return retry(`${words}, without a token`, { outage: true });
    const lifeMs = typeof expires_in === 'number' && expires_in > 0 ? expires_in * 1_000 : LIFE_MS_DEFAULT;
    const [nowMs, beforeMs] = [this.now(), Math.min(RENEW_BEFORE_MS, lifeMs / 10)];
    this.token = { text: access_token, renewAtMs: nowMs + lifeMs - beforeMs, expiresAtMs: nowMs + lifeMs };
    return access_token;
  }
}

const SCHEME = 'Bearer ';

/** Signs with access tokens. @param isExpired whether the answer refuses the token, which is then renewed. */
export function tokenSigner(tokens: AccessTokens, isExpired: (answer: VendorAnswer) => boolean): Signer {
  return {
    async headersOf(_request, signal) {
      const token = await tokens.get(signal);
      return typeof token === 'string' ? { authorization: `${SCHEME}${token}` } : token;
    },
    isExpired(answer, { authorization = '' }) {
      if (!isExpired(answer)) return false;
      tokens.drop(authorization.slice(SCHEME.length));
      return true;
    },
  };
}
