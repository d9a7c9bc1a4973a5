import { decodeEntities } from '../html';
import { escape, escapeHtml } from '../text/escaping';
import { type Utm, withUtm } from '../urls';
import { type AddressKind, safeValue } from './address-values';

/** Characters of a document that others take the place of. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Where a value stands. */
interface ValueContext {
  readonly kind: AddressKind;
  /** In lower case. */
  readonly element: string;
  readonly quoted: boolean;
  readonly utm: Utm | undefined;
}

const PLAIN = /^https?:\/\/[^\s"'<>&`\\]*$/i;
/** A style without any of this names no address. */
const MAY_NAME_ADDRESS = /[(@\\]|&(?!(?:quot|apos|amp|lt|gt|#39|#34);)/i;

/** What is to stand in the place of an attribute's value, as it is written in HTML, the quotes left as they are; undefined where it may stay. */
export function editOf(value: string, { kind, element, quoted, utm }: ValueContext): string | undefined {
  if (value === '' || (kind === 'css' && !MAY_NAME_ADDRESS.test(value))) return undefined;
  const isTracked = utm !== undefined && kind === 'link' && (element === 'a' || element === 'area');
  if (!isTracked && PLAIN.test(value)) return undefined;
  const address = decodeEntities(value, 'attribute');
  const safe = safeValue(address, kind);
  const text = isTracked ? withUtm(safe, utm) : safe;
  // Values are filled in with more characters escaped than some readers of mails know.
  if (text === address && !value.includes('&#')) return undefined;
  return quoted ? escapeHtml(text) : escape(text, 'attribute');
}

export function edited(html: string, edits: Edit[]): string {
  if (edits.length === 0) return html;
  edits.sort((one, other) => one.start - other.start);
  let text = '';
  let written = 0;
  for (const edit of edits) {
    text += html.slice(written, edit.start) + edit.text;
    written = edit.end;
  }
  return text + html.slice(written);
}
