import { encodeWord, encodeWords, quoteString } from 'nodemailer/lib/mime-funcs';
import type { Mailbox } from '@tidings/contracts/messaging/mailbox';
import { oneLine } from './one-line';

/** Longer lines of a header are folded. */
export const HEADER_LINE_CHARS = 76;
const ENCODED_WORD_CHARS = 52;

/** Free text as the value of a header: in ASCII, on one line, encoded where it needs that. */
export function encodeText(text: string): string {
  const line = oneLine(text);
  if (line.length <= HEADER_LINE_CHARS && /^[ -~]*$/.test(line) && !line.includes('=?')) return line;
  // A word too long to fold would make the header line too long.
  if (/[^ ]{900}/.test(line)) return encodeWord(line, 'Q', ENCODED_WORD_CHARS);
  return encodeWords(line, mostlyAscii(line) ? 'Q' : 'B', ENCODED_WORD_CHARS);
}

/** `Name <address>` as the value of a header, the name encoded where it needs that. */
export function addressText({ address, name }: Mailbox): string {
  const line = name && oneLine(name);
  if (!line) return address;
  if (/^[A-Za-z0-9 ]+$/.test(line)) return `${line} <${address}>`;
  if (/^[ -~]+$/.test(line) && !line.includes('=?') && line.length <= HEADER_LINE_CHARS) return `${quoteString(line)} <${address}>`;
  return `${encodeWord(line, mostlyAscii(line) ? 'Q' : 'B', ENCODED_WORD_CHARS)} <${address}>`;
}

/** Whether quoted-printable stays shorter than base64 (and legible). */
export function mostlyAscii(text: string): boolean {
  return Buffer.byteLength(text) - text.length < text.length / 4;
}
