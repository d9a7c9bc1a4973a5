import { parseMailboxes } from '@tidings/contracts/messaging/mailbox';
import type { Rendered } from '../rendered';

/** What a vendor accepts. What does not fit fails before the call, with the reason. */
export interface Limits {
  /** Bytes of the body of a request. */
  readonly requestBytes?: number;
  /** Addresses of an e-mail, copies included. */
  readonly addresses?: number;
  /** Bytes of an e-mail's text, and of its HTML. */
  readonly bodyBytes?: number;
  /** Bytes of an e-mail's attachments together, before their encoding. Zero: none are sent. */
  readonly attachmentBytes?: number;
  /** Names of attachments have ASCII characters alone. */
  readonly asciiAttachmentNames?: true;
  /** UTF-16 units of an SMS or a chat message's text. */
  readonly textChars?: number;
  /** Segments of an SMS. */
  readonly segments?: number;
}

/** Why a message does not fit, as the end of a sentence that the vendor's title begins; undefined if it does. */
export function problemOf(rendered: Rendered, limits: Limits): string | undefined {
  const { addresses = Infinity, bodyBytes = Infinity, attachmentBytes = Infinity, textChars = Infinity } = limits;
  switch (rendered.kind) {
    case 'email': {
      const { cc = [], bcc = [], attachments = [], text = '', html = '' } = rendered.email;
      const count = 1 + countOf(cc) + countOf(bcc);
      if (count > addresses) return `accepts ${addresses} recipients of a mail, copies included, not ${count}`;
      const body = bodyBytes < Infinity ? Math.max(Buffer.byteLength(text), Buffer.byteLength(html)) : 0;
      if (body > bodyBytes) return `accepts ${bodyBytes} bytes of text or of HTML, not ${body}`;
      const bytes = attachments.reduce((sum, { content }) => sum + content.length, 0);
      const foreign = limits.asciiAttachmentNames && attachments.find(({ filename }) => !/^[ -~]*$/.test(filename));
      if (foreign) return `accepts names of attachments in ASCII alone, not ${JSON.stringify(foreign.filename.slice(0, 100))}`;
      return bytes > attachmentBytes ? `accepts ${attachmentBytes} bytes of attachments, not ${bytes}` : undefined;
    }
    case 'sms':
      return problemOfSms(rendered.sms.text, limits);
    case 'direct_message': {
      const { length } = rendered.directMessage.text;
      return length > textChars ? `accepts texts of ${textChars} characters, not ${length}` : undefined;
    }
    default:
      return undefined;
  }
}

/** The number of addresses; invalid ones are named later. */
function countOf(texts: readonly string[]) {
  const counts = texts.map((text) => {
    const parsed = parseMailboxes(text);
    return 'wrong' in parsed ? 1 : parsed.length;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function problemOfSms(text: string, { textChars = Infinity, segments: most = Infinity }: Limits) {
  if (text.length <= textChars && most === Infinity) return undefined;
  const { encoding, segments } = smsSize(text);
  const size = `${text.length} characters (${segments} segments of ${encoding})`;
  if (text.length > textChars) return `accepts texts of ${textChars} characters, not ${size}`;
  return segments > most ? `accepts texts of ${most} segments, not ${size}` : undefined;
}

/** The basic characters of GSM 03.38, one septet each. */
const GSM_BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Those of its extension, two septets each. */
const GSM_EXTENDED = new Set('^{}\\[~]|€\f');

/** How an SMS is sent. */
export interface SmsSize {
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** Messages that the network carries, and charges. */
  readonly segments: number;
}

/**
 * The segments of an SMS. A text of GSM-7 has 160 septets in one, 153 in each of several; with a single character beyond it, UCS-2 applies:
 * 70 or 67 UTF-16 units. A character is never divided between two segments.
 */
export function smsSize(text: string): SmsSize {
  const characters = [...text];
  const isGsm = characters.every((one) => GSM_BASIC.has(one) || GSM_EXTENDED.has(one));
  const sizes = characters.map((one) => (isGsm ? (GSM_EXTENDED.has(one) ? 2 : 1) : one.length));
  const [alone, joined] = isGsm ? [160, 153] : [70, 67];
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  if (whole <= alone) return { encoding: isGsm ? 'GSM-7' : 'UCS-2', segments: Math.min(whole, 1) };
  let segments = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > joined) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return { encoding: isGsm ? 'GSM-7' : 'UCS-2', segments };
}
