import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { MINUTE_MS, SECOND_MS } from '@tidings/contracts/core/duration';
import { SECRET_KEY_BYTES } from '@tidings/runtime/environment-values';
import { seal, unseal } from '@tidings/runtime/secret-box';
import type { Challenge } from './issuer';

/** A sign-in that the browser began. */
export interface StartedSignIn {
  readonly challenge: Challenge;
  /** Where the issuer sends the browser back to. */
  readonly redirectUri: string;
  /** The address of the console to be shown afterwards. */
  readonly to: string;
  /** Hash of the browser's session of that time. */
  readonly earlier?: string;
}

const COOKIE = 'tidings_oidc';
const VALUE = new RegExp(`(?:^|; ?)${COOKIE}=([\\w-]{1,4000})(?:;|$)`);
const LIFE_MS = 10 * MINUTE_MS;
/** What the sealed value is, so that no other one stands for it. */
const NAME = 'console sign-in';

/**
 * Sign-ins that began, each in a cookie of its browser: no gateway stores them, and any finishes them. The cookie is encrypted with
 * `TIDINGS_SECRET_KEY`; without one each gateway draws a key, and finishes only its own.
 */
export class StartedSignIns {
  private readonly keys: readonly Buffer[];

  constructor(secretKeys: readonly Buffer[]) {
    this.keys = secretKeys.length > 0 ? secretKeys : [randomBytes(SECRET_KEY_BYTES)];
  }

  /** The value of `Set-Cookie` for a sign-in that begins. */
  cookieOf(signIn: StartedSignIn, nowMs: number) {
    const text = JSON.stringify({ ...signIn, until: nowMs + LIFE_MS });
    const sealed = seal(Buffer.from(text), NAME, this.keys[0]!).toString('base64url');
    return `${COOKIE}=${sealed}; Max-Age=${LIFE_MS / SECOND_MS}; ${attributesOf(signIn)}`;
  }

  /** The value that removes the cookie. */
  removalOf(signIn: StartedSignIn) {
    return `${COOKIE}=; Max-Age=0; ${attributesOf(signIn)}`;
  }

  /** The sign-in that the browser began; undefined where it began none, or too long ago. */
  find({ cookie }: IncomingHttpHeaders, nowMs: number): StartedSignIn | undefined {
    const value = VALUE.exec(cookie ?? '')?.[1];
    const text = value === undefined ? undefined : unseal(Buffer.from(value, 'base64url'), NAME, this.keys);
    if (!text) return undefined;
    const { until, ...signIn } = JSON.parse(text.toString()) as StartedSignIn & { until: number };
    return nowMs < until ? signIn : undefined;
  }
}

/** `Lax`: the issuer's page leads to the callback, which is the only address that gets it. */
function attributesOf({ redirectUri }: StartedSignIn) {
  const { pathname, protocol } = new URL(redirectUri);
  return `Path=${pathname}; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`;
}
