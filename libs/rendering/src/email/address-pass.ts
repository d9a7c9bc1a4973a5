import { QuoteType, Tokenizer } from 'htmlparser2';
import { type AddressKind, addressKind, safeCss } from './address-values';
import { type Edit, edited, editOf } from './address-edits';
import { plainEdits } from './plain-markup';
import type { Utm } from '../urls';

/** What is within comments, which some clients read, and within comments in those. */
const DEPTH_MAX = 4;

/**
 * Every address in an e-mail's HTML, wherever it came from, made safe to follow: the one place that all of them pass. Links
 * are given the `utm_…` parameters, pictures and style sheets are not. Tags are found as browsers find them; only values of
 * attributes, and addresses in `<style>`, are written anew, where they change, and never so that they end before they ended.
 */
export function secureAddresses(html: string, utm?: Utm): string {
  return edited(html, plainEdits(html, utm) ?? tokenizedEdits(html, utm));
}

/** What must change in any document. */
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

/** Finds what must change in a part of a document that begins at `offset` of it. */
function scan(html: string, offset: number, { edits, utm, depth }: ScanContext): void {
  let element = '';
  let kind: AddressKind | undefined;
  let start = 0;
  let end = 0;
  let isStyle = false;
  let isInstruction = false;
  /** Of a `<meta>`: it holds an address if it is an instruction to the browser, which may be said later. */
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
  const nothing = (): void => undefined;

  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
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
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onattribentity: nothing,
      ontextentity: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
