/** Fields of e-mails, overrides and templates with addresses that get a copy. */
const COPIES = /^b?cc$/i;
/** Deeper JSON is not stored by any request. */
const DEPTH_MAX = 64;

/** Whether a `cc` or `bcc` anywhere in the value has one of the addresses, which are in lower case. */
export function sentCopyTo(value: unknown, addresses: readonly string[], isCopy = false, depth = 0): boolean {
  if (typeof value === 'string') return isCopy && addressesIn(value).some((address) => addresses.includes(address));
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return false;
  return Object.entries(value).some(([name, inner]) => sentCopyTo(inner, addresses, isCopy || COPIES.test(name), depth + 1));
}

/** `Ada <ada@example.com>, bob@example.com`: both addresses, in lower case. */
const addressesIn = (text: string) => text.toLowerCase().split(/[\s,;<>]+/);
