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
  const edits = plainEdits(html, utm) ?? editsOf(html, utm, 0);
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

/** Names in lower case, as most mails have them. */
const NAME = '[a-z][a-z0-9]*(?::[a-z]+)?';
/** Elements whose content contains no tags. */
const TEXT_ELEMENT = '(?:title|style|script|textarea|xmp|iframe|noembed|noframes|noscript|plaintext)';
const HARMLESS_ATTRIBUTE =
  '(?:align|alt|bgcolor|border|cellpadding|cellspacing|class|colspan|dir|height|lang|role|start|target|title|valign|width|xmlns:[a-z]+)="[^"]*"' +
  '|style="[^"&(@\\\\]*(?:&(?:quot|#39);[^"&(@\\\\]*)*"';
/** A tag, or a part of the head, without addresses: in a style sheet without `url(`, `src(`, `@import` and escapes. The end of a conditional comment. */
const HARMLESS = new RegExp(
  `</?(?!${TEXT_ELEMENT})${NAME}(?: (?:${HARMLESS_ATTRIBUTE}))*/?>|<!doctype html>|<title>[^<]*</title>|<meta (?:charset="utf-8"|name="[a-z-]*" content="[^"]*")>` +
    `|<style(?: type="text/css")?>(?:[^<\\\\@(]|@(?![iI])|(?<![cClL])\\()*</style>|<!\\[endif\\]$`,
  'y',
);
/** White space of HTML: `\s` also matches characters that are part of a name there. */
const SPACE = '[ \\t\\n\\f\\r]';
/** A tag with quoted attributes. */
const QUOTED = new RegExp(
  `<(?!${TEXT_ELEMENT})${NAME}(?:${SPACE}+[a-z][a-z0-9:-]*="[^"]*")*${SPACE}*/?>|<style(?: type="text/css")?>[^<]*</style>`,
  'y',
);
const COMMENT = /<!--(?!-?>)(?:(?!--!?>)[^])*-->/y;

/**
 * The edits of HTML of these parts and text alone, which every parser finds alike; undefined for any other HTML. Most mails are
 * such HTML, and the tokenizer takes several times as long for them.
 */
function plainEdits(html: string, utm: Utm | undefined): Edit[] | undefined {
  const edits: Edit[] = [];
  let end: number;
  for (let start = html.indexOf('<'); start >= 0; start = html.indexOf('<', end)) {
    HARMLESS.lastIndex = QUOTED.lastIndex = COMMENT.lastIndex = start;
    if (HARMLESS.test(html)) end = HARMLESS.lastIndex;
    else if (QUOTED.test(html)) {
      end = QUOTED.lastIndex;
      addShifted(edits, editsOf(html.slice(start, end), utm, 0), start);
    } else if (COMMENT.test(html)) {
      end = COMMENT.lastIndex;
      const inner = html.slice(start + '<!--'.length, end - '-->'.length);
      addShifted(edits, plainEdits(inner, utm) ?? editsOf(inner, utm, 1), start + '<!--'.length);
    } else return undefined;
  }
  return edits;
}

/** Adds the edits of a part of the HTML that begins at `offset`. */
function addShifted(edits: Edit[], ofPart: readonly Edit[], offset: number) {
  for (const { start, end, text } of ofPart) edits.push({ start: offset + start, end: offset + end, text });
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
    if (depth < DEPTH_MAX) addShifted(edits, editsOf(html.slice(from, to - trailing), utm, depth + 1), from);
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
