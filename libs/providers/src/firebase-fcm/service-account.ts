import { createPrivateKey } from 'node:crypto';
import { isHttpUrl } from '@tidings/contracts/core/http-url';
import { createSigner } from 'fast-jwt';
import type { TokenSource } from '../vendor/access-tokens';
import { jsonOf } from '../vendor/classify';

/** A service account of Google Cloud, from the JSON file of one of its keys. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly keyId?: string;
  readonly tokenUrl: URL;
}

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
/** The longest life of an assertion that Google accepts. */
const ASSERTION_S = 3_600;

/** What a text must be that `parseServiceAccount` reads, in words. */
export const SERVICE_ACCOUNT = 'the JSON file of a service account key, with project_id, client_email and an RSA private_key';

/** Reads the JSON file of a key; undefined if it is not what `SERVICE_ACCOUNT` says. */
export function parseServiceAccount(text: string): ServiceAccount | undefined {
  const { project_id, client_email, private_key, private_key_id, token_uri = TOKEN_URL } = jsonOf(text);
  if (!isText(project_id) || !isText(client_email) || !isText(private_key) || !isRsaKey(private_key)) return undefined;
  if (typeof token_uri !== 'string' || !isHttpUrl(token_uri)) return undefined;
  const keyId = isText(private_key_id) ? private_key_id : undefined;
  return { projectId: project_id, clientEmail: client_email, privateKey: private_key, keyId, tokenUrl: new URL(token_uri) };
}

/** The source of the account's access tokens (RFC 7523): an assertion signed with its key is exchanged for a token. */
export function tokenSourceOf({ clientEmail, privateKey, keyId, tokenUrl }: ServiceAccount, name: string, scope: string): TokenSource {
  const sign = createSigner({ key: privateKey, algorithm: 'RS256', kid: keyId });
  return {
    name,
    url: tokenUrl,
    form(nowMs) {
      const iat = Math.floor(nowMs / 1_000);
      const assertion = sign({ iss: clientEmail, scope, aud: tokenUrl.href, iat, exp: iat + ASSERTION_S });
      return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
    },
  };
}

function isRsaKey(pem: string) {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
