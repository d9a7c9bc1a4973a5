import { domainToASCII } from 'node:url';
import { CheckedBy } from '../core/fields';
import { invalid, invalidValue, shown } from '../core/refusals';

/** An address that is safe in an SMTP command and a header: no character in it can end either. */
export interface Mailbox {
  /** Domain in ASCII (punycode). */
  readonly address: string;
  readonly name?: string;
  /** False if the local part needs SMTPUTF8. */
  readonly ascii: boolean;
}

const ADDRESS_LENGTH_MAX = 320;
const TEXT_LENGTH_MAX = 1_000;
/** Maximum characters of a list of addresses. */
const LIST_LENGTH_MAX = 65_536;
/** Maximum addresses of a list. */
export const MAILBOXES_MAX = 100;
/** Control characters, line ends included. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
/** Excludes characters that begin another address, a group or a comment. */
const UNQUOTED_NAME = /^[^"(),:;<>@[\\\]]*$/;
const DOMAIN_LENGTH_MAX = 253;
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const PLAIN_ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(${LABEL}(?:\\.${LABEL})*)$`);
/** A hyphen at an end of a label: the conversion to ASCII would hide it in labels beyond ASCII. */
const MISPLACED_HYPHEN = /(?:^|[.\u3002\uff0e\uff61])-|-(?:$|[.\u3002\uff0e\uff61])/;
/** ASCII characters of no domain: the conversion to ASCII would end the domain at some of them. */
const NOT_OF_DOMAIN = /[!-,/:-@[-`{-~]/;
/** A dot at an end, or two together. */
const MISPLACED_DOT = /^\.|\.\.|\.$/;
/** A quoted local part (RFC 5321), without angle brackets: servers differ on where an address with them ends. */
const QUOTED = /^"((?:[^"\\<>]|\\[ -;=?-~])*)"$/;
const BEYOND_ASCII = /[^ -~]/;
/** Characters that need quoting in a local part, or could end the command or header line with the address. */
// eslint-disable-next-line no-control-regex -- the pattern must match control characters
const UNSAFE = /[\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff"(),:;<>@[\\\]\ud800-\udfff]/u;
/** What separators divide: they have no meaning in quoted names and bracketed addresses, closed or not. */
const ENTRIES = /(?:"(?:\\.?|[^"\\])*"?|<[^>]*>?|[^",;<])+/gs;
const ADDRESS_LITERAL = /^\[[A-Za-z0-9.:]+\]$/;

/** The address in the form of SMTP, or undefined if it is invalid. `name` is free text, encoded when written. */
export function toMailbox(address: string, name?: string): Mailbox | undefined {
  if (address.length > ADDRESS_LENGTH_MAX) return undefined;
  const [, plainDomain] = PLAIN_ADDRESS.exec(address) ?? [];
  if (plainDomain !== undefined && plainDomain.length <= DOMAIN_LENGTH_MAX) return { address, name, ascii: true };

  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  if (at < 1 || !isLocalPart(local)) return undefined;
  const asciiDomain = ADDRESS_LITERAL.test(domain) ? domain : toAsciiDomain(domain);
  if (!asciiDomain) return undefined;
  return { address: `${local}@${asciiDomain}`, name, ascii: !BEYOND_ASCII.test(local) };
}

function isLocalPart(local: string) {
  const [, quoted] = QUOTED.exec(local) ?? [];
  if (quoted === undefined) return !UNSAFE.test(local) && !MISPLACED_DOT.test(local);
  return !UNSAFE.test(quoted.replace(/[\x20-\x7e]/g, ''));
}

/** The value is an address that `toMailbox` accepts; no mail could be sent to others. */
export const IsEmailAddress = CheckedBy(
  'isEmailAddress',
  (value) => typeof value === 'string' && toMailbox(value) !== undefined,
  'must be an e-mail address',
);

/** Parses `address`, `Name <address>` or `"Name" <address>`; undefined for other texts: several addresses, groups, comments. */
export function parseMailbox(text: string): Mailbox | undefined {
  if (text.length > TEXT_LENGTH_MAX) return undefined;
  const found = parseMailboxes(text);
  return !('wrong' in found) && found.length === 1 ? found[0] : undefined;
}

/** Refuses a value that is not one address, with a name or without. @throws ServiceError `invalid_request` naming the path and the value. */
export function assertMailbox(value: unknown, path: string): void {
  if (typeof value === 'string' && /[{}]/.test(value)) {
    throw invalid(`${path} must be the address itself: variables are not filled in there (got ${shown(value)})`);
  }
  if (typeof value === 'string' && parseMailbox(value)) return;
  throw invalidValue(path, 'one e-mail address, as a@example.com or Name <a@example.com>', value);
}

/** The part of a list that is no address. */
interface NoMailbox {
  readonly wrong: string;
}

/**
 * Parses addresses, each `address`, `Name <address>` or `"Name" <address>`, separated by commas or semicolons. Stricter than mail
 * programs: refuses ambiguous texts, so that no mail goes to an unintended address.
 */
export function parseMailboxes(text: string): readonly Mailbox[] | NoMailbox {
  if (text.length > LIST_LENGTH_MAX || CONTROL.test(text)) return { wrong: text };
  const entries = (text.match(ENTRIES) ?? []).map((entry) => entry.trim()).filter((entry) => entry !== '');
  if (entries.length > MAILBOXES_MAX) return { wrong: text };
  const mailboxes: Mailbox[] = [];
  for (const entry of entries) {
    const mailbox = readEntry(entry);
    if (!mailbox) return { wrong: entry };
    mailboxes.push(mailbox);
  }
  return mailboxes;
}

/** `address` or `Name <address>`, as `parseMailboxes` reads it. */
export function mailboxText({ address, name }: Mailbox): string {
  return name ? `"${name.replace(/[\\"]/g, '\\$&')}" <${address}>` : address;
}

const ENTRY = /^(?:"((?:[^"\\]|\\.)*)"\s*|([^"<>]*))<([^<>]*)>$/;

function readEntry(entry: string) {
  const [whole, quoted, plain = '', address = ''] = ENTRY.exec(entry) ?? [];
  if (whole === undefined) return entry.indexOf('@') === entry.lastIndexOf('@') ? toMailbox(entry) : undefined;
  if (quoted === undefined && !UNQUOTED_NAME.test(plain)) return undefined;
  const name = quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1');
  return toMailbox(address.trim(), name.trim() || undefined);
}

/** The domain in the form that addresses have, in lower case; undefined if it is none. Without the dot that may end a name. */
export function toMailDomain(text: string): string | undefined {
  return toAsciiDomain(text).toLowerCase() || undefined;
}

/** The domain of an address, in lower case. */
export function domainOf({ address }: Pick<Mailbox, 'address'>): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

/** '' if it is no domain. Checked before the conversion, which would silently drop line ends. */
function toAsciiDomain(domain: string) {
  const isDomain = ![UNSAFE, MISPLACED_HYPHEN, NOT_OF_DOMAIN].some((wrong) => wrong.test(domain));
  const ascii = isDomain ? domainToASCII(domain) : '';
  return ascii.length <= DOMAIN_LENGTH_MAX && DOMAIN.test(ascii) ? ascii : '';
}
