import type { LinkUrl } from '../rich-text/html-to-format';
import { safeUrl, type Utm, withUtm } from '../urls';

/** Channels that an app of the recipient's opens, which may have addresses of its own. */
const OPENED_BY_APPS = new Set(['push', 'inbox', 'banner']);

/** How a channel's addresses are made safe, and links given their parameters. */
export function addressesFor(channel: string, utm: Utm | undefined): LinkUrl {
  const use = OPENED_BY_APPS.has(channel) ? 'deep-link' : 'link';
  return (url, kind = 'link') => {
    if (url === '') return '';
    return kind === 'image' ? safeUrl(url, 'image') : withUtm(safeUrl(url, use), utm);
  };
}
