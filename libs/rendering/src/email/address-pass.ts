import { QuoteType } from 'htmlparser2';
import { tokenize } from '../html';
import { type AddressKind, addressKind, safeCss } from './address-values';
import { type Edit, edited, editOf } from './address-edits';
import { plainEdits } from './plain-markup';
import type { Utm } from '../urls';

/** Depth of nested comments, which some clients interpret. */
const DEPTH_MAX = 4;

/**
 * Makes every address in an e-mail's HTML safe; all addresses pass through this function. Links get the `utm_…` parameters,
 * pictures and style sheets do not. Tags are found as browsers find them; only changed attribute values and addresses in
 * `<style>` are rewritten, escaped so that they cannot end early.
 */
export function secureAddresses(html: string, utm?: Utm): string {
  return edited(html, plainEdits(html, utm) ?? tokenizedEdits(html, utm));
}

/** The edits of any document. */
export function tokenizedEdits(html: string, utm: Utm | undefined): Edit[] {
  const edits: Edit[] = [];
  scan(html, 0, { edits, utm, depth: 0 });
  return edits;
}

interface ScanContext {
  readonly edits: Edit[];
  readonly utm: Utm | undefined;
  readonly depth: number;
}

/** Collects the edits of the part of a document that starts at `offset`. */
function scan(html: string, offset: number, { edits, utm, depth }: ScanContext): void {
  let element = '';
  let kind: AddressKind | undefined;
  let start = 0;
  let end = 0;
  let isStyle = false;
  let isInstruction = false;
  /** Pending edit of a `<meta>`: it applies only with `http-equiv`, which may follow. */
  let refresh: Edit | undefined;

  const within = (from: number, to: number): void => {
    const inner = html.slice(from, to);
    if (depth < DEPTH_MAX && inner.includes('<')) scan(inner, offset + from, { edits, utm, depth: depth + 1 });
  };
  const endOfTag = (): void => {
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
      const text = editOf(html.slice(start, end), { kind, element, quoted: quote !== QuoteType.Unquoted, utm });
      if (text === undefined) return;
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
