import { NOWHERE } from '../urls';

/** Text format of a channel: replacements of HTML tags. Empty marks leave the text unchanged. */
export interface TextFormat {
  /** Escapes a text so that it is shown literally. */
  readonly escape: (text: string) => string;
  /** Escapes a text inside code, where only the closing mark has a meaning. */
  readonly escapeCode: (text: string) => string;
  readonly bold: string;
  readonly italic: string;
  readonly strike: string;
  /** Three of it are around preformatted lines. */
  readonly code: string;
  readonly bullet: string;
  readonly rule: string;
  readonly heading: (text: string, level: number) => string;
  /** `label` is already escaped, `url` is safe but not escaped; for `NOWHERE` only the label remains. */
  readonly link: (label: string, url: string) => string;
  readonly image: (alt: string, url: string) => string;
}

const unchanged = (text: string) => text;

/** Plain text. */
export const PLAIN: TextFormat = {
  escape: unchanged,
  escapeCode: unchanged,
  bold: '',
  italic: '',
  strike: '',
  code: '',
  bullet: '- ',
  rule: '---',
  heading: unchanged,
  link: (label, url) => {
    if (url === NOWHERE || label === url || `mailto:${label}` === url) return label;
    return label === '' ? url : `${label}: ${url}`;
  },
  image: unchanged,
};

/** Slack's `mrkdwn`. Its letters cannot be escaped, but its links, mentions and channels can, by `&`, `<`, `>`. */
export const MRKDWN: TextFormat = {
  escape: escapeMrkdwn,
  escapeCode: (text) => escapeMrkdwn(text).replaceAll('`', "'"),
  bold: '*',
  italic: '_',
  strike: '~',
  code: '`',
  bullet: '• ',
  rule: '———',
  heading: (text) => (text ? `*${text}*` : ''),
  link: (label, url) => (url === NOWHERE ? label : `<${mrkdwnUrl(url)}|${label.replaceAll('|', '¦') || mrkdwnUrl(url)}>`),
  image: (alt, url) => (url && url !== NOWHERE ? `<${mrkdwnUrl(url)}|${alt.replaceAll('|', '¦') || 'image'}>` : alt),
};

/** Markdown of Discord and of Adaptive Cards. */
export const MARKDOWN: TextFormat = {
  escape: escapeMarkdown,
  escapeCode: (text) => text.replaceAll('`', "'"),
  bold: '**',
  italic: '*',
  strike: '~~',
  code: '`',
  bullet: '- ',
  rule: '———',
  heading: (text, level) => (text ? `${'#'.repeat(Math.min(level, 3))} ${text}` : ''),
  link: markdownLink,
  image: (alt, url) => (url ? markdownLink(alt, url) : alt),
};

function escapeMrkdwn(text: string) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function mrkdwnUrl(url: string) {
  return escapeMrkdwn(url).replaceAll('|', '%7C');
}

const BARE_URL = /(https?:\/\/[^\s<>()[\]*`|]+)/;
const MARKUP = /[\\*_~`|<>[\]]/g;
const LINE_START = /^(\s*)(#|-|\+|>|\d+(?=\.))/gm;

/** Escapes Markdown except in addresses, where a backslash would become part of the address. */
function escapeMarkdown(text: string) {
  // Every second part is an address.
  return text
    .split(BARE_URL)
    .map((part, index) => (index % 2 === 0 ? escapeMarkup(part) : part))
    .join('');
}

function escapeMarkup(text: string) {
  return text
    .replace(MARKUP, '\\$&')
    .replace(LINE_START, (_found, space: string, mark: string) => (/\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`));
}

function markdownLink(label: string, url: string) {
  if (url === '' || url === NOWHERE) return label;
  const address = url.replace(/[\s()<>]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  return label === '' || label === url ? address : `[${label}](${address})`;
}
