import type { LoadedTemplate } from '@tidings/contracts/content/sending';
import { deepMerge, isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { assertAtMost, invalid, isGiven } from '@tidings/contracts/core/refusals';
import { isGuest } from '@tidings/contracts/messaging/key-limits';
import { mailboxText, MAILBOXES_MAX, parseMailbox, parseMailboxes } from '@tidings/contracts/messaging/mailbox';
import { overriddenEmail, overriddenPush } from '@tidings/rendering/override';
import { blocksBeyondText } from '@tidings/rendering/output-content';
import type { Rendered } from '@tidings/rendering/render';
import type { StoredEmail } from '../record/short-email';
import type { StoredRendering } from '../record/stored-events';

/** The rendering of a leaf as it is stored and sent. */
export interface LeafOutput {
  readonly stored: StoredRendering;
  /** Length in characters. */
  readonly chars: number;
  /** What was left out of it. */
  readonly warnings?: readonly string[];
}

/** Fields of an override that change the content of an e-mail; all others change the provider call. */
const EMAIL_FIELDS = ['subject', 'html', 'text', 'from', 'reply_to', 'cc', 'bcc'];
const PUSH_FIELDS = ['title', 'body', 'clickAction', 'click_action', 'icon', 'data'];

/**
 * The rendering with the overrides of the send: those of the channel, then those of the provider. Fields for the call itself
 * (`body`, `config`, …) are passed to the provider unchanged; they override the content's `raw`.
 * @param copied to whom copies may go; the others are left out.
 * @throws ServiceError `invalid_request` naming the field and the value that is no e-mail address.
 */
export function leafOutput(
  rendered: Rendered,
  overrides: readonly JsonObject[],
  template?: LoadedTemplate | null,
  copied: CopyRules = {},
): LeafOutput {
  const { output, raw, blocks } = rendered;
  const override = callOverride(output.kind, raw, overrides);
  const parts = blocksBeyondText(blocks);
  if (output.kind === 'email') {
    const email = overrides.reduce(overriddenEmail, output.email);
    const { from, reply_to, ...copies } = sender(template?.email, ...overrides);
    const { cc, bcc, warnings } = allowedCopies(copies, copied);
    const { subject, html, text } = email;
    const stored: StoredEmail = { subject, html, text, from, reply_to, cc, bcc, blocks: parts };
    return { stored: { output: stored, override }, chars: email.subject.length + email.html.length + email.text.length, warnings };
  }
  const other = output.kind === 'push' ? { ...output, push: overrides.reduce(overriddenPush, output.push) } : output;
  return { stored: { rendered: other, blocks: parts, override }, chars: JSON.stringify(other).length };
}

type Sender = Pick<StoredEmail, 'from' | 'reply_to' | 'cc' | 'bcc'>;

/** The sender and copy addresses: each from the last layer that has it; an empty value removes it. */
function sender(...layers: readonly unknown[]) {
  const objects = layers.filter(isJsonObject);
  const given = (field: keyof Sender) => addresses(objects.findLast((layer) => isGiven(layer[field]))?.[field], field);
  const [from, replyTo, cc, bcc] = [given('from'), given('reply_to'), given('cc'), given('bcc')];
  if (from.length > 1) throw invalid('from must be one e-mail address, or Name <address>');
  return {
    from: from[0],
    reply_to: replyTo.join(', ') || undefined,
    cc: cc.length > 0 ? cc : undefined,
    bcc: bcc.length > 0 ? bcc : undefined,
  };
}

/** To whom copies of an e-mail may go. */
interface CopyRules {
  /** The guest list of the API key. Absent: anyone. */
  readonly recipients?: readonly string[];
  isSuppressed?(address: string): boolean;
}

/** The copies that may be sent, with a warning where some may not. */
function allowedCopies({ cc = [], bcc = [] }: Pick<Sender, 'cc' | 'bcc'>, { recipients, isSuppressed = () => false }: CopyRules) {
  const rules = [
    {
      isLeftOut: (address: string) => recipients !== undefined && !isGuest(recipients, address),
      why: 'the API key sends only to the recipients on its list',
    },
    { isLeftOut: isSuppressed, why: 'their addresses are suppressed' },
  ];
  const warnings: string[] = [];
  let allowed: [readonly string[], readonly string[]] = [cc, bcc];
  for (const { isLeftOut, why } of rules) {
    const left = (texts: readonly string[]) => texts.filter((text) => !isLeftOut(parseMailbox(text)?.address ?? text));
    const count = allowed.flat().length - left(allowed.flat()).length;
    if (count === 0) continue;
    warnings.push(`${count} copies were left out: ${why}`);
    allowed = [left(allowed[0]), left(allowed[1])];
  }
  const given = (texts: readonly string[]) => (texts.length > 0 ? texts : undefined);
  return { cc: given(allowed[0]), bcc: given(allowed[1]), warnings: warnings.length > 0 ? warnings : undefined };
}

const SHOWN_LENGTH_MAX = 320;

/** The addresses of one text or of several, each with one or more addresses; an ambiguous one is refused. */
function addresses(value: unknown, field: string) {
  const texts = Array.isArray(value) ? (value as unknown[]) : isGiven(value) ? [value] : [];
  const found = texts.slice(0, MAILBOXES_MAX + 1).flatMap((text) => {
    const mailboxes = typeof text === 'string' ? parseMailboxes(text) : { wrong: JSON.stringify(text) };
    if (!('wrong' in mailboxes)) return mailboxes.map(mailboxText);
    const shown = JSON.stringify(mailboxes.wrong.slice(0, SHOWN_LENGTH_MAX));
    throw invalid(`${field} must hold e-mail addresses, each address or Name <address>: ${shown} is none`);
  });
  assertAtMost(MAILBOXES_MAX, found.length, field, 'addresses');
  return found;
}

/** Changes to the provider's own request. Attachments stay with the request of the message. */
function callOverride(kind: string, raw: Rendered['raw'], overrides: readonly JsonObject[]) {
  const content = kind === 'email' ? EMAIL_FIELDS : kind === 'push' ? PUSH_FIELDS : [];
  const callFields = (override: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(override).filter(([name]) => name !== 'attachments' && !content.includes(name)));
  // A `null` in a body stays: it removes a field of the provider's request, which is built later.
  const body: JsonObject = raw ? { body: bodyOf(kind, raw) } : {};
  const merged = overrides.map(callFields).reduce((below, one) => deepMerge(below, one), body);
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/** The request body in `raw`; for webhooks it is nested in `payload.body`. */
function bodyOf(kind: string, raw: NonNullable<Rendered['raw']>) {
  const body = kind === 'webhook' && isJsonObject(raw.payload) ? raw.payload.body : undefined;
  return isJsonObject(body) ? body : raw;
}
