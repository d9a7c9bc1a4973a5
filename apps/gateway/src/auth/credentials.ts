import { hash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '@tidings/contracts/core/errors';

/** The parsed `Authorization` header. It contains only the hash of a key, never the key. */
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
  /** User name of Basic authentication: must be the account's e-mail address. */
  email?: string;
};

/** A compact JWT: its header begins with `{"` in base64url. Generated API keys never match. */
const TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

const HEADER = /^(bearer|basic) +([^ ]+) *$/i;

/** Parses the header; scheme names in any case. Throws `unauthenticated` with a message that quotes nothing of it. */
export function readCredential(header: string | undefined): Credential {
  if (header === undefined || header === '') {
    throw unauthenticated(
      'No API key: send the header "Authorization: Bearer <key>", or Basic with the account\'s e-mail address and the key',
    );
  }
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

/** Whether a user name is the account's e-mail address, in any case; constant-time. */
export function isAccountEmail(email: string, account: string) {
  return timingSafeEqual(digest(email), digest(account));
}

/** A 401 with this message; it is returned, not thrown. */
export function unauthenticated(message: string) {
  return new ServiceError('unauthenticated', message);
}

function keyOrToken(value: string): Credential {
  return value.startsWith('eyJ') && TOKEN.test(value) ? { token: value } : { keyHash: hash('sha256', value, 'hex') };
}

function digest(text: string) {
  return hash('sha256', text.trim().toLowerCase(), 'buffer');
}
