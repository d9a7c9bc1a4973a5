import { invalid } from '@tidings/contracts/core/refusals';
import { type Mailbox, mailboxText, parseMailbox } from '@tidings/contracts/messaging/mailbox';
import { LRUCache } from 'lru-cache';
import { addressesOf, copiesOf } from '../addresses';
import { listUnsubscribeHeaders } from '../list-unsubscribe';
import { oneLine } from '../one-line';
import { type Failed, failed } from '../provider';
import type { SettingProblem } from '../setting-values';
import type { VendorMessage } from './vendor';

/** Parsed settings: most are the same for every mail. */
const SENDERS = new LRUCache<string, { mailbox?: Mailbox }>({ max: 1_000, memoMethod: (text) => ({ mailbox: parseMailbox(text) }) });

/** The setting of every e-mail vendor: the sender of mails without one. */
export const FROM_FIELD = { from_address: { type: 'string', required: false, requiredWithoutSender: true, lengthMax: 320 } } as const;
export const ABOUT_FROM = 'sender of mails without one, `address` or `Name <address>`';

/** The problem of `from_address`, for `check` of a vendor. */
export function problemOfFrom({ from_address }: { readonly from_address?: string }): SettingProblem | false {
  return from_address !== undefined && !parseMailbox(from_address) && ['from_address', 'must be one e-mail address, or Name <address>'];
}

/** A mail with parsed addresses, as the interfaces of vendors want it. */
export interface VendorMail {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly replyTo: readonly Mailbox[];
  /** Each address once, without that of `to`. */
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
  /** On one line. */
  readonly subject: string;
  /** At least one of `text` and `html` is set. */
  readonly text?: string;
  readonly html?: string;
  /** Further headers: those for unsubscribing. */
  readonly headers: Readonly<Record<string, string>>;
  /** Contents in base64. */
  readonly attachments: readonly { readonly filename: string; readonly contentType: string; readonly content: string }[];
}

/**
 * The mail of a message, or the failure for an invalid recipient.
 * @param from the setting `from_address`.
 * @throws ServiceError naming another address that is invalid, or where the mail has no sender.
 */
export function mailOf({ rendered, recipient, sender }: VendorMessage<'email'>, from: string | undefined): VendorMail | Failed {
  const { email } = rendered;
  const defaultFrom = from === undefined ? sender : SENDERS.memo(from).mailbox;
  if (!defaultFrom && email.from === undefined) {
    throw invalid(from === undefined ? 'The mail has no sender: set settings.from_address' : 'from_address is not one e-mail address');
  }
  const addresses = addressesOf(email, recipient, defaultFrom);
  if ('kind' in addresses) return addresses;
  const copies = copiesOf(addresses);
  const copied = (wanted: 'cc' | 'bcc') => copies.flatMap(({ kind, mailbox }) => (kind === wanted ? [mailbox] : []));
  return {
    from: addresses.from,
    to: addresses.to,
    replyTo: addresses.replyTo,
    cc: copied('cc'),
    bcc: copied('bcc'),
    subject: oneLine(email.subject),
    text: email.text,
    html: email.html,
    headers: listUnsubscribeHeaders(email.listUnsubscribe),
    attachments: (email.attachments ?? []).map(({ filename, contentType, content }) => ({
      filename: oneLine(filename),
      contentType,
      content: content.toString('base64'),
    })),
  };
}

/** `"Name" <address>` in Unicode, on one line. */
export function mailboxLine({ name, ...rest }: Mailbox): string {
  return mailboxText({ ...rest, name: name && oneLine(name) });
}

/** The failure of a mail with an address that has more than ASCII before its `@`, for vendors that accept none. */
export function problemOfAscii({ from, to, replyTo, cc, bcc }: VendorMail, title: string): Failed | undefined {
  const found = [from, to, ...replyTo, ...cc, ...bcc].find(({ ascii }) => !ascii);
  return found && failed(`${title} accepts only ASCII before the @ of an address, not ${JSON.stringify(found.address)}`, 'permanent');
}
