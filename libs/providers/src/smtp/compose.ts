import { createHash } from 'node:crypto';
import * as base64 from 'nodemailer/lib/base64';
import MailComposer from 'nodemailer/lib/mail-composer';
import { foldLines } from 'nodemailer/lib/mime-funcs';
import * as qp from 'nodemailer/lib/qp';
import type { Mailbox } from '@tidings/contracts/messaging/mailbox';
import type { RenderedEmail } from '../email';
import { addressText, encodeText, HEADER_LINE_CHARS, mostlyAscii } from '../header-text';
import { listUnsubscribeHeaders } from '../list-unsubscribe';
import { oneLine } from '../one-line';
import type { Attempt } from '../provider';
import { type Addresses, copiesOf } from '../addresses';
import type { SignMail } from './dkim';

/** A mail in wire format. Its strings have one character per byte. */
export interface WireMail {
  readonly from: string;
  readonly to: string;
  /** Envelope recipients in addition to `to`. */
  readonly copies: readonly WireCopy[];
  /** The addresses need SMTPUTF8. */
  readonly utf8: boolean;
  /** `Message-ID`, with its angle brackets. */
  readonly messageId: string;
  /** Headers and body, dots doubled, the final dot included. */
  readonly content: string;
}

/** One recipient of a copy. */
export interface WireCopy {
  readonly kind: 'cc' | 'bcc';
  readonly to: string;
}

const BODY_LINE_CHARS_MAX = 998;
/** With the prefixes of a boundary it must stay below 70 characters (RFC 2046). */
const TOKEN_CHARS_MAX = 50;

/**
 * Composes the mail of one attempt. The same mail and attempt give the same bytes, so a receiver can recognise a repeat; no text
 * can add a header, end the message or leave its part.
 * @param sign adds a DKIM signature.
 */
export async function compose(email: RenderedEmail, addresses: Addresses, attempt: Attempt, sign?: SignMail): Promise<WireMail> {
  const token = tokenOf(attempt.idempotencyKey);
  const { from, to, replyTo, cc } = addresses;
  const messageId = `<${token}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`;
  const copies = copiesOf(addresses);
  // Blind copies are in no header, but in the envelope.
  const utf8 = ![from, to, ...replyTo, ...cc, ...copies.map(({ mailbox }) => mailbox)].every(({ ascii }) => ascii);
  const text = email.attachments?.length
    ? await composeWithAttachments(email, addresses, attempt, messageId, token)
    : headers(email, addresses, attempt, messageId) + body(email, `=_${token}`);
  const bytes = utf8 && !email.attachments?.length ? Buffer.from(text).toString('latin1') : text;
  return {
    from: envelopeAddress(from),
    to: envelopeAddress(to),
    copies: copies.map(({ kind, mailbox }) => ({ kind, to: envelopeAddress(mailbox) })),
    utf8,
    messageId,
    content: stuffDots(sign ? await sign(bytes) : bytes),
  };
}

/** A short name of the attempt, valid in a Message-ID and in a MIME boundary. */
function tokenOf(idempotencyKey: string) {
  if (idempotencyKey.length <= TOKEN_CHARS_MAX && /^[A-Za-z0-9-]+$/.test(idempotencyKey)) return idempotencyKey;
  return createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40);
}

function envelopeAddress({ address, ascii }: Mailbox) {
  return ascii ? address : Buffer.from(address).toString('latin1');
}

function headers(email: RenderedEmail, { from, to, replyTo, cc }: Addresses, { renderedAt }: Attempt, messageId: string) {
  const unsubscribe = Object.entries(listUnsubscribeHeaders(email.listUnsubscribe));
  return (
    header('From', addressText(from)) +
    header('To', addressText(to)) +
    (cc.length > 0 ? header('Cc', cc.map(addressText).join(', ')) : '') +
    (replyTo.length > 0 ? header('Reply-To', replyTo.map(addressText).join(', ')) : '') +
    header('Subject', encodeText(email.subject)) +
    unsubscribe.map(([name, value]) => header(name, value)).join('') +
    `Message-ID: ${messageId}\r\nDate: ${renderedAt.toUTCString().replace('GMT', '+0000')}\r\nMIME-Version: 1.0\r\n`
  );
}

function header(name: string, value: string) {
  const line = `${name}: ${value}`;
  return line.length <= HEADER_LINE_CHARS ? `${line}\r\n` : `${foldLines(line, HEADER_LINE_CHARS)}\r\n`;
}

function body({ text, html }: RenderedEmail, boundary: string) {
  if (html === undefined) return part('text/plain', text ?? '');
  if (text === undefined) return part('text/html', html);
  return (
    `Content-Type: multipart/alternative; boundary="${boundary}"\r\n\r\n` +
    `--${boundary}\r\n${part('text/plain', text)}--${boundary}\r\n${part('text/html', html)}--${boundary}--\r\n`
  );
}

function part(type: string, text: string) {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const [encoding, encoded] = encodeBody(lines);
  return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${encoded}${encoded.endsWith('\r\n') ? '' : '\r\n'}`;
}

/** Encodes with 7 bits, so that the mail does not depend on the server's extensions. `text` has bare LF line ends. */
function encodeBody(text: string): [encoding: string, encoded: string] {
  const crlf = text.replaceAll('\n', '\r\n');
  // `--=_` begins our boundaries; neither of the other two encodings can contain it.
  if (!/[^\t\n -~]/.test(text) && !text.includes('--=_') && !hasLongLine(text)) return ['7bit', crlf];
  return mostlyAscii(text) ? ['quoted-printable', qp.wrap(qp.encode(crlf))] : ['base64', base64.wrap(base64.encode(crlf))];
}

function hasLongLine(text: string) {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > BODY_LINE_CHARS_MAX) return true;
    start = end + 1;
  }
  return text.length - start > BODY_LINE_CHARS_MAX;
}

function stuffDots(content: string) {
  // The content begins with headers, so never with a dot, and always ends with a line end.
  return `${content.replaceAll('\r\n.', '\r\n..')}.\r\n`;
}

/** Composes the rare mail with files by nodemailer, with access to files and URLs disabled. */
async function composeWithAttachments(
  email: RenderedEmail,
  { from, to, replyTo, cc }: Addresses,
  { renderedAt }: Attempt,
  messageId: string,
  token: string,
) {
  const composer = new MailComposer({
    from: libraryAddress(from),
    to: libraryAddress(to),
    cc: cc.map(libraryAddress),
    replyTo: replyTo.map(libraryAddress),
    subject: oneLine(email.subject),
    headers: Object.entries(listUnsubscribeHeaders(email.listUnsubscribe)).map(([key, value]) => ({ key, value })),
    text: email.text,
    html: email.html,
    attachments: email.attachments?.map(({ filename, contentType, content }) => ({ filename: oneLine(filename), contentType, content })),
    messageId,
    date: renderedAt,
    baseBoundary: token,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const bytes = (await composer.compile().build()).toString('latin1');
  return bytes.endsWith('\r\n') ? bytes : `${bytes}\r\n`;
}

function libraryAddress({ address, name }: Mailbox) {
  return { address, name: name ? oneLine(name) : '' };
}
