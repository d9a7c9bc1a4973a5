import { decodeEntities } from '../html';
import { escapeHtml } from '../text/escaping';
import { safeUrl, type Utm, withUtm } from '../urls';

const ADDRESS = /(\s)(href|src|action|formaction|background)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'<>`]+)/gi;
const LINK = /<(?:a|area)\s[^<]*$/i;
const PLAIN = /^https?:\/\/[^\s"'<>&`\\]*$/i;
const TAG_CHARS_MAX = 4_000;

/**
 * Every address in an e-mail's HTML, wherever it came from, made safe to follow: the one place that all of them pass. Links
 * are given the `utm_…` parameters, pictures and style sheets are not.
 */
export function secureAddresses(html: string, utm?: Utm): string {
  return html.replace(ADDRESS, (whole: string, space: string, name: string, equals: string, quoted: string, offset: number) => {
    const quote = quoted[0] === '"' || quoted[0] === "'" ? quoted[0] : '';
    const value = quote ? quoted.slice(1, -1) : quoted;
    if (!utm && PLAIN.test(value)) return whole;
    const isImage = name.toLowerCase() === 'src' || name.toLowerCase() === 'background';
    const url = safeUrl(decodeEntities(value), isImage ? 'image' : 'link');
    const tracked = utm && LINK.test(html.slice(Math.max(0, offset - TAG_CHARS_MAX), offset + 1)) ? withUtm(url, utm) : url;
    return `${space}${name}${equals}"${escapeHtml(tracked)}"`;
  });
}
