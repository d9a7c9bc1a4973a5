import { decodeEntities } from '../html';
import { escape } from '../text/escaping';
import { NOWHERE, type Utm, withUtm } from '../urls';
import { type AddressKind, addressKind, safeCss, safeValue } from './address-values';

/** White space of HTML: `\s` also matches characters that are part of a name there. */
const SPACE = ' \\t\\n\\f\\r';
const END_OF_NAME = `(?=[${SPACE}/>])`;
/** Elements whose content is text for browsers, as that of `style`: not in SVG, and `noscript` only where scripts run. */
const TEXT_ELEMENTS = ['title', 'script', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript'];
const TEXT_ENDS = new Map(TEXT_ELEMENTS.map((name) => [name, new RegExp(`</${name}${END_OF_NAME}|$`, 'gi')]));
const STYLE_END = new RegExp(`</style${END_OF_NAME}|$`, 'i');
const COMMENT = /<!--(?:-?>|[^]*?(?=--!?>|$))/y;
const TAG_STARTS = /<(?=\/?[a-z])/gi;
const TAG_NAME = new RegExp(`<(/?[a-z][^${SPACE}/>]*)`, 'iy');
const VALUE = `"[^"]*(?:"|$)|'[^']*(?:'|$)|[^${SPACE}"'>][^${SPACE}>]*`;
/** An attribute, its value with quotes, or the end of a tag. Matches at every position. */
const ATTRIBUTE = new RegExp(`[${SPACE}/]*(?:([^${SPACE}/>][^${SPACE}/>=]*)(?:[${SPACE}]*=[${SPACE}]*(${VALUE})?)?|>|$)`, 'y');

const HARMLESS_ATTRIBUTE =
  '(?:align|alt|bgcolor|border|cellpadding|cellspacing|class|colspan|dir|height|lang|role|start|target|title|valign|width|xmlns:[a-z]+)="[^"<]*"' +
  '|style="[^"<&(@\\\\]*(?:&(?:quot|#39);[^"<&(@\\\\]*)*"';
/** For speed: tags and parts of the head, as most mails have them, without addresses. In CSS `url(`, `src(`, `@import` and escapes may name one. */
const HARMLESS = new RegExp(
  `</?(?!style|${TEXT_ELEMENTS.join('|')})[a-z][a-z0-9]*(?::[a-z]+)?(?: (?:${HARMLESS_ATTRIBUTE}))*/?>` +
    `|<title>[^<]*</title>|<meta (?:charset="utf-8"|name="[a-z-]*" content="[^"<]*")>` +
    `|<style(?: type="text/css")?>(?:[^<\\\\@(&]|@(?![iI])|(?<![cClL])\\()*</style>`,
  'y',
);

/**
 * Makes every address in an e-mail's HTML safe; all addresses pass through this function. Links get the `utm_…` parameters,
 * pictures and style sheets do not. Programs disagree on what is a comment or text, so here a tag begins at every `<` before a
 * letter. In another tag, or where it hides the end of a comment or text, that `<` becomes `&lt;`: all find the same tags then.
 */
export function secureAddresses(html: string, utm?: Utm): string {
  let text = '';
  let written = 0;
  const write = (from: number, to: number, replacement: string) => {
    text += html.slice(written, from) + replacement;
    written = to;
  };
  /** End of the comment or text around. */
  let limit = Infinity;
  let end: number;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', end)) {
    if (at >= limit) limit = Infinity;
    HARMLESS.lastIndex = COMMENT.lastIndex = at;
    if (HARMLESS.test(html) && HARMLESS.lastIndex <= limit) {
      end = HARMLESS.lastIndex;
      continue;
    }
    const tag = readTag(html, at, limit, utm);
    if (!tag) {
      end = at + 1;
      if (limit === Infinity && COMMENT.test(html)) limit = COMMENT.lastIndex;
    } else if (tag.end > limit) {
      end = limit;
      write(at, end, withoutTags(html.slice(at, end)));
    } else {
      end = tag.end;
      write(at, end, tag.text);
      if (limit === Infinity) limit = endOfText(tag.element, html, end);
    }
  }
  return text + html.slice(written);
}

function withoutTags(text: string) {
  return text.replace(TAG_STARTS, '&lt;');
}

/** The start of the end tag after the text of an element; infinite if its content is no text. */
function endOfText(element: string, html: string, from: number) {
  const pattern = TEXT_ENDS.get(element);
  if (!pattern) return Infinity;
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}

/** A tag, made safe; `style` with its content and end tag. */
interface Tag {
  readonly element: string;
  readonly end: number;
  readonly text: string;
}

/**
 * The tag that begins at a `<`; undefined if none does. One that does not end before `limit` is read up to there only.
 * @param isInstruction whether it has `http-equiv`; when that is found, the tag is read again.
 */
function readTag(html: string, at: number, limit: number, utm: Utm | undefined, isInstruction = false): Tag | undefined {
  TAG_NAME.lastIndex = at;
  const name = TAG_NAME.exec(html)?.[1];
  if (name === undefined) return undefined;
  const element = name.toLowerCase();
  const isTracked = element === 'a' || element === 'area';
  let inner = name;
  let part: string;
  let attribute: string;
  ATTRIBUTE.lastIndex = TAG_NAME.lastIndex;
  do {
    const found = ATTRIBUTE.exec(html);
    part = found?.[0] ?? '';
    attribute = found?.[1]?.toLowerCase() ?? '';
    const value = found?.[2] ?? '';
    if (attribute === 'http-equiv' && !isInstruction) return readTag(html, at, limit, utm, true);
    const kind = value === '' ? undefined : addressKind(element, attribute);
    if (kind === undefined || (kind === 'refresh' && !isInstruction)) inner += part;
    else inner += part.slice(0, -value.length) + securedValue(value, kind, isTracked && kind === 'link' ? utm : undefined);
  } while (attribute !== '' && ATTRIBUTE.lastIndex <= limit);
  const tag = { element, end: ATTRIBUTE.lastIndex, text: `<${withoutTags(inner)}` };
  if (element !== 'style') return tag;
  // Programs disagree on whether `<style/>` has content.
  if (part.endsWith('/>')) return { ...tag, text: `${tag.text.slice(0, -part.length)}></style>` };
  return withSheet(html, tag, limit);
}

/** With the style sheet after it, and the end tag. */
function withSheet(html: string, { element, end, text }: Tag, limit: number): Tag {
  const sheet = html.slice(end, limit);
  const length = sheet.search(STYLE_END);
  const endTag = readTag(html, end + length, limit, undefined);
  return { element, end: endTag?.end ?? Infinity, text: text + safeSheet(sheet.slice(0, length)) + (endTag?.text ?? '') };
}

function securedValue(value: string, kind: AddressKind, utm: Utm | undefined) {
  const quote = /^["']/.exec(value)?.[0] ?? '';
  if (quote && (value.length === 1 || !value.endsWith(quote))) return value;
  const replacement = replacementOf(quote ? value.slice(1, -1) : value, kind, utm);
  if (replacement === undefined) return value;
  // An empty value without quotes would be the text after it.
  return quote ? quote + escape(replacement, 'html') + quote : escape(replacement, 'attribute') || NOWHERE;
}

/** Markup in a style sheet, which SVG has, and its escapes: an escaped `<` is no other character. */
const SHEET_MARKUP = /<!--|\\[^]|<(?=[a-z!?/%])/gi;

/** The content of `<style>` without markup; empty where it is unsafe in SVG alone, which has entities. */
function safeSheet(css: string) {
  const safe = safeCss(css.replace(SHEET_MARKUP, (found) => (found === '<!--' ? ' ' : found.endsWith('<') ? '\\3c ' : found)));
  const inSvg = decodeEntities(safe, 'text');
  return inSvg === safe || safeCss(inSvg) === inSvg ? safe : '';
}

const PLAIN = /^https?:\/\/[^\s"'<>&`\\]*$/i;
/** A style without any of this names no address. */
const MAY_NAME_ADDRESS = /[(@\\]|&(?!(?:quot|apos|amp|lt|gt|#39|#34);)/i;

/** The replacement of an attribute value, not escaped yet; undefined when the value may stay. */
function replacementOf(value: string, kind: AddressKind, utm: Utm | undefined) {
  if (value === '' || (kind === 'css' && !MAY_NAME_ADDRESS.test(value))) return undefined;
  if (!utm && (kind === 'link' || kind === 'image') && PLAIN.test(value)) return undefined;
  const address = decodeEntities(value, 'attribute');
  const text = withUtm(safeValue(address, kind), utm);
  // Filled-in values may contain escapes that some mail clients do not support.
  return text === address && !value.includes('&#') ? undefined : text;
}
