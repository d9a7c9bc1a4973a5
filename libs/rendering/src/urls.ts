import MarkdownIt from 'markdown-it';

const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
/** Parameters added to the addresses of links, to identify the source of visits. */
export type Utm = Readonly<Partial<Record<(typeof UTM_NAMES)[number], string | null>>>;

/** Use of an address, which decides the allowed schemes. */
export type UrlUse = 'link' | 'image' | 'deep-link';

/** Makes an address safe and adds parameters to links. */
export type LinkUrl = (url: string, use?: 'link' | 'image') => string;

/** Replaces an unsafe address. */
export const NOWHERE = '#';

/** Used only for its encoding rules. */
const addresses = new MarkdownIt();
const PLAIN_URL = /^https?:\/\/[A-Za-z0-9][A-Za-z0-9.:-]*(?:[/?#][A-Za-z0-9\-._~/?#@!$&()*+,;=:]*)?$/;
/** Characters that parsers of schemes skip, so that they could hide a scheme. */
// eslint-disable-next-line no-control-regex -- matched on purpose
const HIDING = /[\u0000-\u0020\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202f\ufeff]/g;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const WEB_SCHEMES = new Set(['http', 'https', 'mailto', 'tel']);
const IMAGE_SCHEMES = new Set(['http', 'https', 'cid']);
/** Long pictures may be wrapped. */
const IMAGE_DATA = /^data:image\/(?:gif|png|jpe?g|webp);base64,[a-z0-9+/=\s]*$/i;
/** Schemes of browsers that run or read something; apps use their own. */
const NEVER_AN_APP = new Set(['javascript', 'vbscript', 'data', 'file', 'blob', 'filesystem', 'about', 'intent', 'content', 'view-source']);
const UTM_CHARS_MAX = 500;

/**
 * The safe and correctly encoded address; `#` for an unsafe one. Safe are `http`, `https`, `mailto`, `tel`, and addresses without
 * scheme, which stay on the showing site. `image`: `http`, `https`, `cid` and inline pictures. `deep-link` (push and inbox,
 * opened by the recipient's app): also `scheme://…` of an app.
 */
export function safeUrl(url: string, use: UrlUse = 'link'): string {
  if (PLAIN_URL.test(url)) return url;
  const trimmed = url.trim();
  const scheme = SCHEME.exec(trimmed.replace(HIDING, ''))?.[1]?.toLowerCase();
  if (scheme !== undefined && !isAllowed(scheme, trimmed, use)) return NOWHERE;
  return addresses.normalizeLink(trimmed);
}

function isAllowed(scheme: string, url: string, use: UrlUse) {
  switch (use) {
    case 'link':
      return WEB_SCHEMES.has(scheme);
    case 'image':
      return IMAGE_SCHEMES.has(scheme) || IMAGE_DATA.test(url);
    case 'deep-link':
      return WEB_SCHEMES.has(scheme) || (!NEVER_AN_APP.has(scheme) && url.toLowerCase().startsWith(`${scheme}://`));
  }
}

/** The web address with those `utm_…` parameters that it does not have yet; other addresses unchanged. */
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

/** Channels opened by the recipient's app, which may use its own address schemes. */
const OPENED_BY_APPS = new Set(['push', 'inbox', 'banner']);

/** Returns the channel's function that makes addresses safe and adds parameters to links. */
export function addressesFor(channel: string, utm: Utm | undefined): LinkUrl {
  const use = OPENED_BY_APPS.has(channel) ? 'deep-link' : 'link';
  return (url, kind = 'link') => {
    if (url === '') return '';
    return kind === 'image' ? safeUrl(url, 'image') : withUtm(safeUrl(url, use), utm);
  };
}
