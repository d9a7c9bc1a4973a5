import { domainToASCII } from 'node:url';
import addressparser from 'nodemailer/lib/addressparser';

/** An address fit for an SMTP command and a header: no character in it can end either. */
export interface Mailbox {
  /** Domain in ASCII (punycode). */
  readonly address: string;
  readonly name?: string;
  /** False when the local part needs SMTPUTF8. */
  readonly ascii: boolean;
}

const ADDRESS_LENGTH_MAX = 320;
const PLAIN_ADDRESS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.-]+$/;
/** What would need quoting in a local part, or could end the command or header line an address stands in. */
// eslint-disable-next-line no-control-regex -- control characters are exactly what must not get through
const UNSAFE = /[\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff"(),:;<>@[\\\]\ud800-\udfff]/u;
const ADDRESS_LITERAL = /^\[[A-Za-z0-9.:]+\]$/;

/** The address as SMTP takes it, or undefined when it is none. `name` is free text, encoded where it is written. */
export function toMailbox(address: string, name?: string): Mailbox | undefined {
  if (address.length > ADDRESS_LENGTH_MAX) return undefined;
  if (PLAIN_ADDRESS.test(address)) return { address, name, ascii: true };

  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  if (at < 1 || UNSAFE.test(local)) return undefined;
  const asciiDomain = ADDRESS_LITERAL.test(domain) ? domain : toAsciiDomain(domain);
  if (!asciiDomain) return undefined;
  return { address: `${local}@${asciiDomain}`, name, ascii: PLAIN_ADDRESS.test(`${local}@x`) };
}

/** Reads `address` or `Name <address>`; undefined for anything else, several addresses included. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [first, ...more] = addressparser(text, { flatten: true });
  if (!first || more.length > 0) return undefined;
  return toMailbox(first.address, first.name || undefined);
}

/** '' when it is no domain. The conversion itself would quietly drop line ends, hence the look before it. */
function toAsciiDomain(domain: string): string {
  return UNSAFE.test(domain) ? '' : domainToASCII(domain);
}
