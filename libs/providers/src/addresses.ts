import { invalid } from '@tidings/contracts/core/refusals';
import type { EmailRecipient, RenderedEmail } from './email';
import { bounced, type Failed } from './provider';
import { type Mailbox, parseMailbox, parseMailboxes, toMailbox } from '@tidings/contracts/messaging/mailbox';

/** The parsed addresses of a mail. */
export interface Addresses {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly replyTo: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
}

/** A recipient of a copy in the envelope, in addition to the recipient. */
interface Copy {
  readonly kind: 'cc' | 'bcc';
  readonly mailbox: Mailbox;
}

/**
 * Parses the addresses of a mail; `defaultFrom` is the sender of mails without one, which is required there. Returns the failure for an
 * invalid recipient.
 * @throws ServiceError naming another address that is invalid.
 */
export function addressesOf(email: RenderedEmail, recipient: EmailRecipient, defaultFrom: Mailbox | undefined): Addresses | Failed {
  const to = toMailbox(recipient.email, recipient.name);
  if (!to) return bounced(`The address ${shown(recipient.email)} of profile.email is no e-mail address`, 'HARD');
  const from = email.from === undefined ? defaultFrom : parseMailbox(email.from);
  if (!from) throw invalid(`The sender ${shown(email.from)} is not one e-mail address`);
  const replyTo = email.replyTo ? mailboxesOf('reply address', [email.replyTo]) : [];
  return { from, to, replyTo, cc: mailboxesOf('cc', email.cc), bcc: mailboxesOf('bcc', email.bcc) };
}

function mailboxesOf(role: string, texts: readonly string[] | undefined) {
  if (!texts || texts.length === 0) return [];
  return texts.flatMap((text) => {
    const mailboxes = parseMailboxes(text);
    if ('wrong' in mailboxes) throw invalid(`The ${role} ${shown(mailboxes.wrong)} is not an e-mail address`);
    return mailboxes;
  });
}

/** The recipients of copies, each once, without the recipient itself. */
export function copiesOf({ to, cc, bcc }: Addresses): Copy[] {
  if (cc.length === 0 && bcc.length === 0) return [];
  const seen = new Set([nameOf(to)]);
  const all = Object.entries({ cc, bcc }).flatMap(([kind, mailboxes]) =>
    mailboxes.map((mailbox) => ({ kind: kind as Copy['kind'], mailbox })),
  );
  return all.filter(({ mailbox }) => {
    const name = nameOf(mailbox);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

/** Hardly any server distinguishes addresses by case. */
const nameOf = ({ address }: Mailbox) => address.toLowerCase();
const shown = (text = '') => JSON.stringify(text.slice(0, 320));
