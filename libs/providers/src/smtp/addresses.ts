import type { EmailRecipient, RenderedEmail } from '../email';
import { bounced, type Failed, failed } from '../provider';
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

/** Parses the addresses of a mail; `defaultFrom` is the sender of mails without one. Returns the failure for an invalid address. */
export function addressesOf(email: RenderedEmail, recipient: EmailRecipient, defaultFrom: Mailbox): Addresses | Failed {
  const to = toMailbox(recipient.email, recipient.name);
  if (!to) {
    const error = `The address ${shown(recipient.email)} of profile.email is no e-mail address`;
    return bounced(error, 'HARD');
  }
  const from = email.from === undefined ? defaultFrom : parseMailbox(email.from);
  if (!from) return failed(`The sender ${shown(email.from)} is not one e-mail address`, 'permanent');
  const lists = { replyTo: [email.replyTo ?? ''], cc: email.cc ?? [], bcc: email.bcc ?? [] };
  const found: Partial<Record<keyof typeof lists, Mailbox[]>> = {};
  for (const name of ['replyTo', 'cc', 'bcc'] as const) {
    found[name] = [];
    for (const text of lists[name]) {
      const mailboxes = parseMailboxes(text);
      if ('wrong' in mailboxes) return failed(`The ${ROLES[name]} ${shown(mailboxes.wrong)} is not an e-mail address`, 'permanent');
      found[name].push(...mailboxes);
    }
  }
  return { from, to, replyTo: found.replyTo!, cc: found.cc!, bcc: found.bcc! };
}

/** The recipients of copies, each once, without the recipient itself. */
export function copiesOf({ to, cc, bcc }: Addresses): Copy[] {
  const seen = new Set([nameOf(to)]);
  const all = [...cc.map((mailbox) => ({ kind: 'cc' as const, mailbox })), ...bcc.map((mailbox) => ({ kind: 'bcc' as const, mailbox }))];
  return all.filter(({ mailbox }) => {
    const name = nameOf(mailbox);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

const ROLES = { replyTo: 'reply address', cc: 'cc', bcc: 'bcc' } as const;

/** Hardly any server distinguishes addresses by case. */
const nameOf = ({ address }: Mailbox): string => address.toLowerCase();
const shown = (text = ''): string => JSON.stringify(text.slice(0, 320));
