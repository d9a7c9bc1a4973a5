import type { LinkUrl } from '../rich-text/html-to-format';
import { safeUrl, type Utm, withUtm } from '../urls';

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
