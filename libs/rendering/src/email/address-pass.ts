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
  const edits: Edit[] = [];
  scan(html, 0, { edits, utm, depth: 0 });
  return edited(html, edits);
}

/** A replacement of a range of a document. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface ScanContext {
  readonly edits: Edit[];
  readonly utm: Utm | undefined;
  readonly depth: number;
}

/** Collects the edits of the part of a document that starts at `offset`. */
function scan(html: string, offset: number, { edits, utm, depth }: ScanContext) {
  let element = '';
  let kind: AddressKind | undefined;
  let start = 0;
  let end = 0;
  let isStyle = false;
  let isInstruction = false;
  /** Pending edit of a `<meta>`: it applies only with `http-equiv`, which may follow. */
  let refresh: Edit | undefined;

  const within = (from: number, to: number) => {
    const inner = html.slice(from, to);
    if (depth < DEPTH_MAX && inner.includes('<')) scan(inner, offset + from, { edits, utm, depth: depth + 1 });
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
      const found = { start: offset + start, end: offset + end, text };
      if (kind === 'refresh') refresh = found;
      else edits.push(found);
    },
    onopentagend: endOfTag,
    onselfclosingtag: endOfTag,
    onclosetag() {
      isStyle = false;
    },
    ontext(from, to) {
      if (!isStyle) return;
      const css = html.slice(from, to);
      const safe = safeCss(css);
      if (safe !== css) edits.push({ start: offset + from, end: offset + to, text: safe });
    },
    oncomment: (from, to, trailing) => within(from, to - trailing),
    oncdata: (from, to, trailing) => within(from, to - trailing),
  });
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

function edited(html: string, edits: Edit[]) {
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
