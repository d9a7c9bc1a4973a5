import { Parser } from 'htmlparser2';
import { escapeHtml } from './text/escaping';
import { NOWHERE, safeUrl, type UrlUse } from './urls';

/** Allowed elements, each with its attributes that hold an address. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, UrlUse>>>> = {
  a: { href: 'link' },
  img: { src: 'image' },
  ...Object.fromEntries(
    'b blockquote br code dd div dl dt em h2 h3 h4 h5 h6 hr i li ol p pre s small span strong sub sup table tbody td tfoot th thead tr u ul'
      .split(' ')
      .map((name) => [name, {}]),
  ),
};
/** Elements that are removed with their content: it is no text of the page, or belongs to a form, a frame or another language. */
const REMOVED = new Set(
  (
    'applet audio base button canvas embed fieldset form frame frameset head iframe input link map math meta noembed noframes noscript ' +
    'object optgroup option param plaintext script select style svg template textarea title video xmp'
  ).split(' '),
);
const VOID = new Set(['br', 'hr', 'img']);

/**
 * The HTML with allowed elements and attributes only, so that it can neither run, load nor style anything but pictures, nor end an element
 * around it. Others leave their text. Links get `rel="noopener noreferrer"`; unsafe addresses become `#`, pictures with one are removed.
 */
export function sanitizeHtml(html: string): string {
  let safe = '';
  /** Open elements in and below a removed one. */
  let removed = 0;
  // It closes every element that it opens, also one whose end is missing.
  const parser = new Parser({
    onopentag(name, attributes) {
      if (removed > 0 || REMOVED.has(name)) removed += 1;
      else if (Object.hasOwn(ALLOWED, name)) safe += openTag(name, attributes);
    },
    ontext(text) {
      if (removed === 0) safe += escapeHtml(text);
    },
    onclosetag(name) {
      if (removed > 0) removed -= 1;
      else if (Object.hasOwn(ALLOWED, name) && !VOID.has(name)) safe += `</${name}>`;
    },
  });
  parser.end(html);
  return safe;
}

function openTag(name: string, attributes: Readonly<Record<string, string>>) {
  const urls = Object.entries(ALLOWED[name]!).flatMap(([attribute, use]) => {
    const value = attributes[attribute];
    return value === undefined ? [] : [[attribute, safeUrl(value, use)] as const];
  });
  if (name === 'img' && (urls.length === 0 || urls.some(([, url]) => url === NOWHERE))) return '';
  const fixed = name === 'a' ? [['rel', 'noopener noreferrer'] as const] : name === 'img' ? [['alt', attributes.alt ?? ''] as const] : [];
  return `<${name}${[...urls, ...fixed].map(([attribute, value]) => ` ${attribute}="${escapeHtml(value)}"`).join('')}>`;
}
