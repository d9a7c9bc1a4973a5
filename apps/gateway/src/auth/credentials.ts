import { hash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '@tidings/contracts/core/errors';

/** What an `Authorization` header claims. A key itself is not in it: from here on there is only its hash. */
type Credential = (
  | {
      /** SHA-256 of the key, lower-case hex. */
      keyHash: string;
    }
  | {
      /** An issued token. */
      token: string;
    }
) & {
  /** User name of Basic authentication: the account's e-mail address, which must be right too. */
  email?: string;
};

/** A compact JWT: its head begins with `{"` in base64url. An API key that is made here never looks so. */
const TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

const HEADER = /^(bearer|basic) +([^ ]+) *$/i;

/** Reads the header; scheme names in any case. Throws `unauthenticated`, in words that repeat nothing of it. */
export function readCredential(header: string | undefined): Credential {
  if (header === undefined || header === '') {
    throw unauthenticated(
      'No API key: send the header "Authorization: Bearer <key>", or Basic with the account\'s e-mail address and the key',
    );
  }
  // By far the most common form, without a regular expression.
  if (header.startsWith('Bearer ') && header.indexOf(' ', 7) === -1 && header.length > 7) return keyOrToken(header.slice(7));

  const match = HEADER.exec(header);
  if (!match) throw unauthenticated('The Authorization header must be "Bearer <key>" or "Basic <base64 of e-mail:key>"');
  const [, scheme, value] = match as unknown as [string, string, string];
  return scheme.toLowerCase() === 'bearer' ? keyOrToken(value) : readBasic(value);
}

function readBasic(value: string): Credential {
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) throw unauthenticated('Basic authentication must be the base64 of "e-mail:key"');
  return { email: text.slice(0, colon), ...keyOrToken(text.slice(colon + 1)) };
}

/** Whether a user name is the account's e-mail address, in any case; takes the same time wherever they differ. */
export function isAccountEmail(given: string, account: string): boolean {
  return timingSafeEqual(digest(given), digest(account));
}

export function unauthenticated(message: string): ServiceError {
  return new ServiceError('unauthenticated', message);
}

function keyOrToken(value: string): Credential {
  return value.startsWith('eyJ') && TOKEN.test(value) ? { token: value } : { keyHash: sha256(value) };
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

function digest(text: string): Buffer {
  return hash('sha256', text.trim().toLowerCase(), 'buffer');
}
