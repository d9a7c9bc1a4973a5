import { decodeEntities } from '../html';
import { escape, escapeHtml } from '../text/escaping';
import { type Utm, withUtm } from '../urls';
import { type AddressKind, safeValue } from './address-values';

/** A replacement of a range of a document. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Context of an attribute value. */
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

/** The HTML-escaped replacement of an attribute value, without quotes; undefined when the value may stay. */
export function editOf(value: string, { kind, element, quoted, utm }: ValueContext): string | undefined {
  if (value === '' || (kind === 'css' && !MAY_NAME_ADDRESS.test(value))) return undefined;
  const isTracked = utm !== undefined && kind === 'link' && (element === 'a' || element === 'area');
  if (!isTracked && PLAIN.test(value)) return undefined;
  const address = decodeEntities(value, 'attribute');
  const safe = safeValue(address, kind);
  const text = isTracked ? withUtm(safe, utm) : safe;
  // Filled-in values may contain escapes that some mail clients do not support.
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
