import type { EmailRecipient, RenderedEmail } from '../email';
import type { Failed } from '../provider';
import { type Mailbox, parseMailbox, parseMailboxes, toMailbox } from '@tidings/contracts/messaging/mailbox';

/** Everybody a mail names, found to be addresses. */
export interface Addresses {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly replyTo: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
}

/** Whom a server is told to deliver to, beside the recipient. */
interface Copy {
  readonly kind: 'cc' | 'bcc';
  readonly mailbox: Mailbox;
}

/** `from`: the sender of mails that name none. Answers with how the mail fails where something of it is no address. */
export function addressesOf(email: RenderedEmail, recipient: EmailRecipient, defaultFrom: Mailbox): Addresses | Failed {
  const to = toMailbox(recipient.email, recipient.name);
  if (!to) {
    const error = `The address ${shown(recipient.email)} of profile.email is no e-mail address`;
    return { kind: 'failed', error, cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD' };
  }
  const from = email.from === undefined ? defaultFrom : parseMailbox(email.from);
  if (!from) return unusable(`The sender ${shown(email.from)} is not one e-mail address`);
  const lists = { replyTo: [email.replyTo ?? ''], cc: email.cc ?? [], bcc: email.bcc ?? [] };
  const found: Partial<Record<keyof typeof lists, Mailbox[]>> = {};
  for (const name of ['replyTo', 'cc', 'bcc'] as const) {
    found[name] = [];
    for (const text of lists[name]) {
      const mailboxes = parseMailboxes(text);
      if ('wrong' in mailboxes) return unusable(`The ${WHO[name]} ${shown(mailboxes.wrong)} is not an e-mail address`);
      found[name].push(...mailboxes);
    }
  }
  return { from, to, replyTo: found.replyTo!, cc: found.cc!, bcc: found.bcc! };
}

/** Those who get a copy, each once; not the recipient again. */
export function copiesOf({ to, cc, bcc }: Addresses): Copy[] {
  const known = new Set([nameOf(to)]);
  const all = [...cc.map((mailbox) => ({ kind: 'cc' as const, mailbox })), ...bcc.map((mailbox) => ({ kind: 'bcc' as const, mailbox }))];
  return all.filter(({ mailbox }) => {
    const name = nameOf(mailbox);
    if (known.has(name)) return false;
    known.add(name);
    return true;
  });
}

const WHO = { replyTo: 'reply address', cc: 'cc', bcc: 'bcc' } as const;

/** Servers hardly ever tell addresses apart by case. */
const nameOf = ({ address }: Mailbox): string => address.toLowerCase();
const shown = (text = ''): string => JSON.stringify(text.slice(0, 320));

function unusable(error: string): Failed {
  return { kind: 'failed', error, cause: 'permanent', reason: 'PROVIDER_ERROR' };
}
