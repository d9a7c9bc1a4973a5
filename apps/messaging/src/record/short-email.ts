import { createHash } from 'node:crypto';
import { isStorableText } from '@tidings/contracts/core/text';
import type { EmailParts } from '@tidings/rendering/output-content';
import { applyChanges, type Changes } from './difference';

/** An e-mail as it is sent. */
export interface StoredEmail extends EmailParts {
  /** Absent: the provider's own. Not shown, like the fields below. */
  from?: string;
  reply_to?: string;
  cc?: readonly string[];
  bcc?: readonly string[];
  /** The page of `List-Unsubscribe`; absent: the e-mail has no such header. */
  list_unsubscribe?: string;
}

/** HTML and text of an e-mail, one after the other, as changes of a stored base. */
interface EmailDifference {
  /** Hash of the base. */
  base: string;
  /** Lengths in characters. */
  html: number;
  text: number;
  changes: Changes;
}

/** An e-mail as a RENDERED event stores it where most of it is in a base. */
export interface ShortEmail extends Omit<StoredEmail, 'html' | 'text'> {
  /** Null only where a row is inconsistent. */
  difference: EmailDifference | null;
}

/** A text that stored e-mails of a workspace refer to. It has no data of a person, because it outlives the erasure of recipients. */
export interface RenderingBase {
  readonly workspaceId: string;
  /** Of the text: the same in every process. */
  readonly hash: string;
  readonly text: string;
}

/** Characters of a hash: 132 bits. Two texts of a workspace with one hash would need a deliberate search for them. */
const HASH_CHARS = 22;

/** The base of a rendering without values; undefined where PostgreSQL cannot store it unchanged. */
export function toBase(workspaceId: string, { html, text: plain }: Pick<EmailParts, 'html' | 'text'>): RenderingBase | undefined {
  const text = html + plain;
  if (!isStorableText(text)) return undefined;
  return { workspaceId, text, hash: createHash('sha256').update(text).digest('base64url').slice(0, HASH_CHARS) };
}

/** The e-mail with `changes` of a base instead of HTML and text. */
export function shortEmail({ html, text, ...email }: StoredEmail, base: RenderingBase, changes: Changes): ShortEmail {
  return { difference: { base: base.hash, html: html.length, text: text.length, changes }, ...email };
}

export function isShort(output: StoredEmail | ShortEmail): output is ShortEmail {
  return typeof output === 'object' && 'difference' in output;
}

/** The e-mail as it was sent. @throws Error where the base is not the one it was stored with */
export function wholeEmail({ difference, ...email }: ShortEmail, base: string): StoredEmail {
  if (!difference) throw new Error('A stored e-mail has no difference');
  const whole = applyChanges(base, difference.changes);
  if (whole.length !== difference.html + difference.text) throw new Error(`A stored e-mail does not fit its base ${difference.base}`);
  return { ...email, html: whole.slice(0, difference.html), text: whole.slice(difference.html) };
}
