import { createPrivateKey, type KeyObject } from 'node:crypto';

/** How mails are signed with DKIM (RFC 6376): verifiers find the public key at `<selector>._domainkey.<domain>`. */
export interface DkimSettings {
  /** In ASCII (punycode). */
  readonly domain: string;
  readonly selector: string;
  readonly privateKey: KeyObject;
}

/** Verifiers accept keys of these sizes (RFC 8301). */
const KEY_BITS_MIN = 1_024;
const KEY_BITS_MAX = 4_096;
const SELECTOR = /^(?=.{1,63}$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

/** What a selector and a key must be, in words. */
export const DKIM_SELECTOR = 'letters, digits, hyphens and dots, at most 63';
export const DKIM_KEY = `an RSA private key of ${KEY_BITS_MIN} to ${KEY_BITS_MAX} bits in PEM, unencrypted`;

export function isDkimSelector(text: string): boolean {
  return SELECTOR.test(text);
}

/** The key of a PEM text; undefined if it is not what `DKIM_KEY` says. */
export function parseDkimKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0;
    return bits >= KEY_BITS_MIN && bits <= KEY_BITS_MAX ? key : undefined;
  } catch {
    return undefined;
  }
}
