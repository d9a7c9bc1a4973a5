import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import type { StoredMail } from './mail-files';

/** An attachment of a mail, without its content. */
export interface MailboxAttachment {
  /** Its position in the mail, from 1. */
  readonly number: number;
  /** As the mail states it, `attachment-1` where it states none. */
  readonly name: string;
  /** Media type, as the mail states it. */
  readonly type: string;
  /** Decoded bytes. */
  readonly size: number;
}

/** A received mail, parsed. */
export interface MailboxMail {
  readonly id: string;
  /** Sender and recipients of the SMTP envelope, which may differ from the headers. */
  readonly from: string;
  readonly to: readonly string[];
  /** Addresses of the headers: `Shop <shop@example.com>`; the name is decoded. Empty where the mail has none. */
  readonly from_header: string;
  readonly cc: readonly string[];
  readonly reply_to: readonly string[];
  readonly subject: string;
  /** ISO 8601. */
  readonly received_at: string;
  readonly message_id: string;
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly MailboxAttachment[];
}

/** Parses a mail. One that cannot be parsed, for example because it is nested too deeply, has empty fields. */
export async function parseMail(mail: StoredMail): Promise<MailboxMail> {
  const { id, from, to, receivedAt } = mail;
  const { from: sender, cc = [], replyTo = [], subject = '', messageId = '', text = '', html = '', attachments } = await emailOf(mail);
  return {
    id,
    from,
    to,
    from_header: sender ? shown(sender) : '',
    cc: cc.map(shown),
    reply_to: replyTo.map(shown),
    subject,
    received_at: receivedAt.toISOString(),
    message_id: messageId,
    text,
    html,
    attachments: attachments.map(toMailboxAttachment),
  };
}

/** The attachment `number` of a mail with its decoded content; undefined where the mail has fewer. */
export async function attachmentOf(mail: StoredMail, number: number) {
  const attachment = (await emailOf(mail)).attachments[number - 1];
  return attachment && { ...toMailboxAttachment(attachment, number - 1), content: Buffer.from(bytesOf(attachment)) };
}

async function emailOf({ raw }: StoredMail): Promise<Email> {
  try {
    return await PostalMime.parse(raw);
  } catch {
    return { headers: [], headerLines: [], attachments: [] };
  }
}

function toMailboxAttachment(attachment: Attachment, index: number): MailboxAttachment {
  const { filename, mimeType } = attachment;
  return { number: index + 1, name: filename || `attachment-${index + 1}`, type: mimeType, size: bytesOf(attachment).byteLength };
}

/** The parser decodes contents to bytes by default. */
const bytesOf = ({ content }: Attachment) => new Uint8Array(content as ArrayBuffer);

function shown({ name, address, group }: Address): string {
  if (group) return `${name}: ${group.map(shown).join(', ')};`;
  return name ? `${name} <${address}>` : address;
}
