import type { Utm } from '../urls';
import { type Edit, editOf } from './address-edits';
import { addressKind, safeCss } from './address-values';

/** Excludes elements whose text does not contain tags, for some or all clients. */
const OF_TEXT = '(?!(?:title|style|script|textarea|xmp|iframe|noembed|noframes|noscript|plaintext|meta|set|animate)[a-z]*[\\s/>])';
const NAME = '[a-z][a-z0-9]*(?::[A-Za-z]+)?';
/** Attributes and styles without addresses. */
const HARMLESS =
  '(?:(?:align|alt|bgcolor|border|cellpadding|cellspacing|class|colspan|dir|height|lang|role|start|target|title|valign|width)="[^"]*"' +
  '|style="(?:[^"&(@\\\\]|&(?:quot|#39);)*")';
/** An opening or closing tag without addresses. */
const HARMLESS_TAG = new RegExp(`<(?:/${NAME}|${OF_TEXT}${NAME}(?: ${HARMLESS})*)/?>`, 'y');
const TAG_NAME = new RegExp(`<(${OF_TEXT}${NAME})(?=[ >/])`, 'y');
const ATTRIBUTE = /\s+([a-z][a-z0-9:-]*)="([^"]*)"(?=[\s/>])/y;
const TAG_END = /\s*\/?>/y;
const HEAD_PART =
  /<!doctype html>|<title>[^<]*<\/title>|<meta (?:charset="utf-8"|name="[a-z-]*"(?: content="[^"]*")?)>|<!--\[if [^\]<>-]*\]><!-->|<!--<!\[endif\]-->/y;
const STYLE = /(<style(?: type="text\/css")?>)([^<]*)<\/style>/y;
const END_OF_CONDITION = '<![endif]';

/**
 * The edits of a document in plain markup, as the product writes it: lower-case tags, attributes in double quotes. Undefined for
 * other documents, which need the tokenizer. Every client parses an accepted tag alike.
 */
export function plainEdits(html: string, utm: Utm | undefined): Edit[] | undefined {
  const edits: Edit[] = [];
  return scan(html, 0, html.length, { edits, utm }) ? edits : undefined;
}

interface Found {
  readonly edits: Edit[];
  readonly utm: Utm | undefined;
}

/** Whether the range is plain markup; its edits are then added to `edits`. */
function scan(html: string, from: number, to: number, found: Found): boolean {
  let at = html.indexOf('<', from);
  while (at >= 0 && at < to) {
    const next =
      endOf(HARMLESS_TAG, html, at) ??
      endOf(HEAD_PART, html, at) ??
      comment(html, at, found) ??
      style(html, at, found) ??
      tag(html, at, found);
    if (next === undefined || next > to) return false;
    at = html.indexOf('<', next);
  }
  return true;
}

function endOf(pattern: RegExp, html: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(html) ? pattern.lastIndex : undefined;
}

/** A conditional comment, which some clients interpret. */
function comment(html: string, at: number, found: Found): number | undefined {
  if (!html.startsWith('<!--[if ', at)) return undefined;
  const end = html.indexOf('-->', at);
  const inside = html.slice(at + 4, end);
  if (end < 0 || inside.includes('<!--') || inside.includes('--!')) return undefined;
  const to = inside.endsWith(END_OF_CONDITION) ? end - END_OF_CONDITION.length : end;
  return scan(html, at + 4, to, found) ? end + 3 : undefined;
}

function style(html: string, at: number, { edits }: Found): number | undefined {
  STYLE.lastIndex = at;
  const [, open = '', css = ''] = STYLE.exec(html) ?? [];
  if (!open) return undefined;
  const next = STYLE.lastIndex;
  const safe = safeCss(css);
  const start = at + open.length;
  if (safe !== css) edits.push({ start, end: start + css.length, text: safe });
  return next;
}

function tag(html: string, at: number, { edits, utm }: Found): number | undefined {
  TAG_NAME.lastIndex = at;
  const element = TAG_NAME.exec(html)?.[1]?.toLowerCase();
  if (element === undefined) return undefined;
  ATTRIBUTE.lastIndex = TAG_NAME.lastIndex;
  let next = TAG_NAME.lastIndex;
  for (let attribute = ATTRIBUTE.exec(html); attribute; attribute = ATTRIBUTE.exec(html)) {
    next = ATTRIBUTE.lastIndex;
    const [, name = '', value = ''] = attribute;
    const kind = addressKind(element, name);
    const text = kind && editOf(value, { kind, element, quoted: true, utm });
    if (text !== undefined) edits.push({ start: next - 1 - value.length, end: next - 1, text });
  }
  return endOf(TAG_END, html, next);
}
