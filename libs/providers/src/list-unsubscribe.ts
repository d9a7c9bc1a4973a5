import { isHttpUrl } from '@tidings/contracts/core/http-url';
import type { ListUnsubscribe } from './email';
import { toMailbox } from '@tidings/contracts/messaging/mailbox';

/** A header line has at most 998 characters, and an address cannot be folded. */
const URL_LENGTH_MAX = 900;

/** The headers for unsubscribing (RFC 2369, RFC 8058); none without a valid https page or e-mail address. */
export function listUnsubscribeHeaders({ url, mailto, oneClick }: ListUnsubscribe = {}): Readonly<Record<string, string>> {
  const page = url !== undefined && isHttpUrl(url) ? new URL(url) : undefined;
  const isUsable = page !== undefined && page.protocol === 'https:' && page.href.length <= URL_LENGTH_MAX;
  const mailbox = mailto === undefined ? undefined : toMailbox(mailto);
  const targets = [...(isUsable ? [`<${page.href}>`] : []), ...(mailbox?.ascii ? [mailtoOf(mailbox.address)] : [])];
  if (targets.length === 0) return {};
  return {
    'List-Unsubscribe': targets.join(', '),
    ...(isUsable && oneClick && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  };
}

/** A local part may contain `?`, `#` and `&`, which would end the address in a URL; the domain at most brackets. */
function mailtoOf(address: string) {
  const at = address.lastIndexOf('@');
  return `<mailto:${encodeURIComponent(address.slice(0, at))}@${encodeURI(address.slice(at + 1))}>`;
}
