import { isNoAddress } from '@tidings/providers/smtp/no-address';
import PostalMime from 'postal-mime';

/** A recipient to whom a mail was not delivered. */
export interface UndeliveredRecipient {
  readonly address?: string;
  readonly reasonCode: 'HARD' | 'SOFT';
  /** The enhanced status, as `5.1.1`. */
  readonly status?: string;
  /** The answer of the last mail server. */
  readonly diagnostic?: string;
}

const NESTING_MAX = 20;
const REPORT_TYPE = 'message/delivery-status';
/** What is read of a report: anyone may send anything to a return path. */
const REPORT_LENGTH_MAX = 65_536;
const RECIPIENTS_MAX = 100;

/** The recipients of a delivery report (RFC 3464) whose delivery failed for good; none where the mail is no such report. */
export async function undeliveredIn(mail: Buffer): Promise<UndeliveredRecipient[]> {
  const report = await reportIn(mail);
  const groups = report?.slice(0, REPORT_LENGTH_MAX).split(/\r?\n[ \t]*\r?\n/) ?? [];
  return groups.flatMap(recipientIn).slice(0, RECIPIENTS_MAX);
}

async function reportIn(mail: Buffer): Promise<string | undefined> {
  try {
    const { attachments } = await PostalMime.parse(mail, { maxNestingDepth: NESTING_MAX });
    const report = attachments.find(({ mimeType }) => mimeType === REPORT_TYPE);
    if (!report) return undefined;
    return typeof report.content === 'string' ? report.content : Buffer.from(report.content as ArrayBuffer).toString();
  } catch {
    return undefined; // anyone may send anything to a return path
  }
}

/** The group of fields of one recipient; the first group is about the whole mail and has no action. */
function recipientIn(group: string): UndeliveredRecipient[] {
  const fields = new Map<string, string>();
  for (const line of group.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  if (fields.get('action')?.toLowerCase() !== 'failed') return [];
  const [status] = /\d\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '') ?? [];
  const diagnostic = typed(fields.get('diagnostic-code'));
  // The final one may be where an alias or another server leads to.
  const address = typed(fields.get('original-recipient')) ?? typed(fields.get('final-recipient'));
  return [{ address, reasonCode: reasonCodeOf(status, diagnostic), status, diagnostic }];
}

/** The value after its type: `rfc822; ada@example.com`. */
function typed(value: string | undefined) {
  const text = value?.slice(value.indexOf(';') + 1).trim();
  return text === '' ? undefined : text;
}

/** An address that does not exist is hard; a full mailbox, a policy or a server that did not answer in time is soft. */
function reasonCodeOf(status: string | undefined, diagnostic = ''): 'HARD' | 'SOFT' {
  const [code] = /\b5\d\d\b/.exec(diagnostic) ?? [];
  return isNoAddress(Number(code), status) ? 'HARD' : 'SOFT';
}
