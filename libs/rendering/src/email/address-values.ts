import { NOWHERE, safeUrl, type UrlUse } from '../urls';

/** Kind of an attribute value, which decides the position of addresses in it. */
export type AddressKind = UrlUse | 'links' | 'pictures' | 'refresh' | 'moving' | 'css';

const ATTRIBUTES: Partial<Record<AddressKind, string>> = {
  css: 'style fill stroke filter mask clip-path cursor marker-start marker-mid marker-end',
  link: 'href action formaction cite longdesc manifest codebase',
  image: 'src background poster lowsrc dynsrc',
  links: 'ping archive',
  pictures: 'srcset imagesrcset',
};
const BY_NAME = new Map(
  Object.entries(ATTRIBUTES).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as AddressKind] as const)),
);
const MOVING_ELEMENTS = new Set(['set', 'animate', 'animatemotion', 'animatetransform']);
const MOVING_ATTRIBUTES = new Set(['to', 'from', 'by', 'values']);
const PICTURE_ELEMENTS = new Set(['image', 'feimage']);

/** The kind of an attribute; undefined without addresses. Names are lower case and may have a prefix: `xlink:href`. */
export function addressKind(element: string, attribute: string): AddressKind | undefined {
  const name = localName(attribute);
  const kind = BY_NAME.get(name);
  if (kind) return kind === 'link' && PICTURE_ELEMENTS.has(localName(element)) ? 'image' : kind;
  if (name === 'data') return element === 'object' ? 'image' : undefined;
  if (name === 'content') return element === 'meta' ? 'refresh' : undefined;
  return MOVING_ATTRIBUTES.has(name) && MOVING_ELEMENTS.has(localName(element)) ? 'moving' : undefined;
}

function localName(name: string) {
  return name.includes(':') ? name.slice(name.lastIndexOf(':') + 1) : name;
}

/** The value with `#` instead of each unsafe address. */
export function safeValue(value: string, kind: AddressKind): string {
  switch (kind) {
    case 'css':
      return safeCss(value);
    case 'links':
      return value.replace(/\S+/g, (url) => orNowhere(url, 'link'));
    case 'pictures':
      return value.replace(PICTURE, (_, url: string, rest: string) => orNowhere(url, 'image') + rest.replace(/[()]/g, ' '));
    case 'refresh':
      return value.replace(REFRESH, (_, before: string, url: string) => before + orNowhere(url, 'link'));
    case 'moving':
      return value.replace(/[^;]+/g, (url) => orNowhere(url, 'link'));
    default:
      return safeUrl(value, kind);
  }
}

/** The seconds, and the address up to the end. */
const REFRESH = /^(\s*[+-]?[\d.]*[\s;,]+(?:url\s*=\s*)?["']?)([^]+)$/i;
/** An entry of a picture list: an address, ended by a space of HTML or a comma, and its descriptor, in which parentheses hide commas. */
const PICTURE = /([^ \t\n\f\r,](?:[^ \t\n\f\r]*[^ \t\n\f\r,])?)([^,]*)/g;

function orNowhere(url: string, use: UrlUse) {
  return safeUrl(url, use) === NOWHERE ? NOWHERE : url;
}

/** Matches the characters that every CSS rule with an address contains. */
const MAY_NAME_ADDRESS = /[(@\\]/;
/** A string after a comment counts as one too: the comment may follow `@import`. */
const CSS_ADDRESS =
  /((?:url|src)\(\s*|@import\s*(?=["'])|\*\/\s*(?=["']))("(?:[^"\\\n]|\\(?:\r\n|[^]))*"?|'(?:[^'\\\n]|\\(?:\r\n|[^]))*'?|[^"'()\s][^"'()\s]*)/gi;
/** Also one that begins in the value of another, which may be a string without address: `content: "@import "`. */
const EACH_CSS_ADDRESS = new RegExp(`(?=${CSS_ADDRESS.source})`, 'gi');
const CSS_ESCAPE = /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\n\f\r])?|(\r\n|[^]))/gi;
/** Inline fonts and pictures in CSS are safe; an inline style sheet could name any address. */
const CSS_DATA = /^\s*data:(?:image\/|font\/|application\/(?:x-)?font)/i;

/** CSS without unsafe addresses; empty when escapes or other values hide one. */
export function safeCss(css: string): string {
  if (!MAY_NAME_ADDRESS.test(css)) return css;
  const safe = css.replace(CSS_ADDRESS, (whole: string, before: string, quoted: string) => {
    const quote = quoted[0] === '"' || quoted[0] === "'" ? quoted[0] : '';
    return isSafeInCss(quote ? quoted.slice(1, quoted.at(-1) === quote ? -1 : undefined) : quoted)
      ? whole
      : `${before}${quote}${NOWHERE}${quote}`;
  });
  return namesUnsafe(safe.includes('\\') ? unescapeCss(safe) : safe) ? '' : safe;
}

function isSafeInCss(address: string) {
  const url = address.includes('\\') ? unescapeCss(address) : address;
  return CSS_DATA.test(url) || orNowhere(url, 'image') === url;
}

function namesUnsafe(css: string) {
  if (!/[(@]/.test(css)) return false;
  for (const [, , address = ''] of css.matchAll(EACH_CSS_ADDRESS)) if (!isSafeInCss(address.replace(/^["']|["']$/g, ''))) return true;
  return false;
}

/** Without white space and control characters that are escaped: parsers of addresses skip them. */
function unescapeCss(css: string) {
  return css.replace(CSS_ESCAPE, (_, code: string | undefined, character = '') => {
    if (code === undefined) return character <= ' ' ? '' : (character as string);
    const point = parseInt(code, 16);
    if (point > 0 && point <= 0x20) return '';
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
  });
}
