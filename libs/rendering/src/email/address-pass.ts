import { QuoteType } from 'htmlparser2';
import { decodeEntities, tokenize } from '../html';
import { escape } from '../text/escaping';
import { type Utm, withUtm } from '../urls';
import { type AddressKind, addressKind, safeCss, safeValue } from './address-values';

/** Depth of nested comments, which some clients interpret. */
const DEPTH_MAX = 4;

/**
 * Makes every address in an e-mail's HTML safe; all addresses pass through this function. Links get the `utm_…` parameters,
 * pictures and style sheets do not. Tags are found as browsers find them; only changed attribute values and addresses in
 * `<style>` are rewritten, escaped so that they cannot end early.
 */
export function secureAddresses(html: string, utm?: Utm): string {
  let text = '';
  let written = 0;
  const edits = editsOf(html, utm, 0);
  for (const edit of edits.sort((one, other) => one.start - other.start)) {
    text += html.slice(written, edit.start) + edit.text;
    written = edit.end;
  }
  return text + html.slice(written);
}

/** A replacement of a range of a document. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `depth`: of the comments around the HTML. */
function editsOf(html: string, utm: Utm | undefined, depth: number): Edit[] {
  const edits: Edit[] = [];
  let element = '';
  let kind: AddressKind | undefined;
  let start = 0;
  let end = 0;
  let isStyle = false;
  let isInstruction = false;
  /** Pending edit of a `<meta>`: it applies only with `http-equiv`, which may follow. */
  let refresh: Edit | undefined;

  const within = (from: number, to: number, trailing: number) => {
    const inner = html.slice(from, to - trailing);
    if (depth >= DEPTH_MAX || !inner.includes('<')) return;
    for (const edit of editsOf(inner, utm, depth + 1)) edits.push({ start: from + edit.start, end: from + edit.end, text: edit.text });
  };
  const endOfTag = () => {
    if (refresh && isInstruction) edits.push(refresh);
    refresh = undefined;
    isInstruction = false;
    isStyle = element === 'style';
  };
  tokenize(html, {
    onopentagname(from, to) {
      element = html.slice(from, to).toLowerCase();
    },
    onattribname(from, to) {
      const name = html.slice(from, to).toLowerCase();
      kind = addressKind(element, name);
      if (name === 'http-equiv') isInstruction = true;
      start = end = to;
    },
    onattribdata(from, to) {
      start = from;
      end = to;
    },
    onattribend(quote) {
      if (kind === undefined) return;
      const isTracked = kind === 'link' && (element === 'a' || element === 'area');
      const replacement = replacementOf(html.slice(start, end), kind, isTracked ? utm : undefined);
      if (replacement === undefined) return;
      const text = escape(replacement, quote === QuoteType.Unquoted ? 'attribute' : 'html');
      if (kind === 'refresh') refresh = { start, end, text };
      else edits.push({ start, end, text });
    },
    onopentagend: endOfTag,
    onselfclosingtag: endOfTag,
    onclosetag() {
      isStyle = false;
    },
    ontext(from, to) {
      if (!isStyle) return;
      const css = html.slice(from, to);
      const text = safeCss(css);
      if (text !== css) edits.push({ start: from, end: to, text });
    },
    oncomment: within,
    oncdata: within,
  });
  return edits;
}

const PLAIN = /^https?:\/\/[^\s"'<>&`\\]*$/i;
/** A style without any of this names no address. */
const MAY_NAME_ADDRESS = /[(@\\]|&(?!(?:quot|apos|amp|lt|gt|#39|#34);)/i;

/** The replacement of an attribute value, not escaped yet; undefined when the value may stay. */
function replacementOf(value: string, kind: AddressKind, utm: Utm | undefined) {
  if (value === '' || (kind === 'css' && !MAY_NAME_ADDRESS.test(value)) || (!utm && PLAIN.test(value))) return undefined;
  const address = decodeEntities(value, 'attribute');
  const text = withUtm(safeValue(address, kind), utm);
  // Filled-in values may contain escapes that some mail clients do not support.
  return text === address && !value.includes('&#') ? undefined : text;
}
