import MarkdownIt from 'markdown-it';

/** What is added to the addresses of links, so that visits can be told apart. */
export interface Utm {
  readonly source?: string | null;
  readonly medium?: string | null;
  readonly campaign?: string | null;
  readonly term?: string | null;
  readonly content?: string | null;
}

/** Where an address is going to be followed, which decides what it may be. */
export type UrlUse = 'link' | 'image' | 'deep-link';

/** Stands in the place of an address that must not be followed. */
export const NOWHERE = '#';

/** Only used for its rules of encoding. */
const addresses = new MarkdownIt();
const PLAIN_URL = /^https?:\/\/[A-Za-z0-9][A-Za-z0-9.:-]*(?:[/?#][A-Za-z0-9\-._~/?#@!$&()*+,;=:]*)?$/;
/** Characters that readers of schemes skip, and that so could hide one. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const HIDING = /[\u0000-\u0020\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202f\ufeff]/g;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const WEB_SCHEMES = new Set(['http', 'https', 'mailto', 'tel']);
const IMAGE_SCHEMES = new Set(['http', 'https', 'cid']);
const IMAGE_DATA = /^data:image\/(?:gif|png|jpeg|webp);base64,[a-z0-9+/=]*$/i;
/** An app of its own has a scheme of its own; these belong to browsers, and run or read something. */
const NEVER_AN_APP = new Set(['javascript', 'vbscript', 'data', 'file', 'blob', 'filesystem', 'about', 'intent', 'content', 'view-source']);
const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
const UTM_CHARS_MAX = 500;

/**
 * An address that is safe to follow and rightly encoded; `#` for any other. Safe are `http`, `https`, `mailto`, `tel`, and
 * addresses without scheme, which can only lead to where they are shown. `image`: `http`, `https`, `cid`, and pictures
 * within the address. `deep-link` (push and inbox, which an app of the recipient's opens): also `scheme://…` of an app.
 */
export function safeUrl(url: string, use: UrlUse = 'link'): string {
  if (PLAIN_URL.test(url)) return url;
  const trimmed = url.trim();
  const scheme = SCHEME.exec(trimmed.replace(HIDING, ''))?.[1]?.toLowerCase();
  if (scheme !== undefined && !isAllowed(scheme, trimmed, use)) return NOWHERE;
  return addresses.normalizeLink(trimmed);
}

function isAllowed(scheme: string, url: string, use: UrlUse): boolean {
  switch (use) {
    case 'link':
      return WEB_SCHEMES.has(scheme);
    case 'image':
      return IMAGE_SCHEMES.has(scheme) || IMAGE_DATA.test(url);
    case 'deep-link':
      return WEB_SCHEMES.has(scheme) || (!NEVER_AN_APP.has(scheme) && url.toLowerCase().startsWith(`${scheme}://`));
  }
}

/** The address with `utm_…` parameters, where it is of the web and has none of that name yet. */
export function withUtm(url: string, utm: Utm | undefined): string {
  if (!utm || !/^https?:/i.test(url)) return url;
  const [address = '', ...fragment] = url.split('#');
  let added = address;
  for (const name of UTM_NAMES) {
    const value = utm[name];
    if (typeof value !== 'string' || value === '' || new RegExp(`[?&]utm_${name}=`, 'i').test(address)) continue;
    added += `${added.includes('?') ? '&' : '?'}utm_${name}=${encodeURIComponent(value.slice(0, UTM_CHARS_MAX).toWellFormed())}`;
  }
  return [added, ...fragment].join('#');
}
