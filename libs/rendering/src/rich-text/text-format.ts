import { NOWHERE } from '../urls';

/** How a channel writes what HTML says with tags. Marks that are empty leave the text as it is. */
export interface TextFormat {
  /** Makes a text mean itself. */
  readonly escape: (text: string) => string;
  /** The same inside code, where marks mean nothing but the one that ends it. */
  readonly escapeCode: (text: string) => string;
  readonly bold: string;
  readonly italic: string;
  readonly strike: string;
  readonly code: string;
  /** Around preformatted lines. */
  readonly fence: string;
  readonly bullet: string;
  readonly quote: string;
  readonly rule: string;
  readonly heading: (text: string, level: number) => string;
  /** `label` is written already, `url` is safe but not written yet; of one that leads nowhere the label is left. */
  readonly link: (label: string, url: string) => string;
  readonly image: (alt: string, url: string) => string;
}

const asItIs = (text: string) => text;

/** What a reader sees, and no more. */
export const PLAIN: TextFormat = {
  escape: asItIs,
  escapeCode: asItIs,
  bold: '',
  italic: '',
  strike: '',
  code: '',
  fence: '',
  bullet: '- ',
  quote: '> ',
  rule: '---',
  heading: asItIs,
  link: (label, url) => {
    if (url === NOWHERE || label === url || `mailto:${label}` === url) return label;
    return label === '' ? url : `${label}: ${url}`;
  },
  image: asItIs,
};

/** Slack's `mrkdwn`. Its letters cannot be escaped, but its links, mentions and channels can, by `&`, `<`, `>`. */
export const MRKDWN: TextFormat = {
  escape: escapeMrkdwn,
  escapeCode: (text) => escapeMrkdwn(text).replaceAll('`', "'"),
  bold: '*',
  italic: '_',
  strike: '~',
  code: '`',
  fence: '```',
  bullet: '• ',
  quote: '> ',
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
  fence: '```',
  bullet: '- ',
  quote: '> ',
  rule: '———',
  heading: (text, level) => (text ? `${'#'.repeat(Math.min(level, 3))} ${text}` : ''),
  link: markdownLink,
  image: (alt, url) => (url ? markdownLink(alt, url) : alt),
};

function escapeMrkdwn(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function mrkdwnUrl(url: string): string {
  return escapeMrkdwn(url).replaceAll('|', '%7C');
}

const BARE_URL = /https?:\/\/[^\s<>()[\]*`|]+/g;
const MARKUP = /[\\*_~`|<>[\]]/g;
const LINE_START = /^(\s*)(#|-|\+|>|\d+(?=\.))/gm;

/** Addresses stay as they are: a backslash within would become part of them. */
function escapeMarkdown(text: string): string {
  let written = '';
  let end = 0;
  for (const found of text.matchAll(BARE_URL)) {
    written += escapeMarkup(text.slice(end, found.index)) + found[0];
    end = found.index + found[0].length;
  }
  return written + escapeMarkup(text.slice(end));
}

function escapeMarkup(text: string): string {
  return text
    .replace(MARKUP, '\\$&')
    .replace(LINE_START, (_found, space: string, mark: string) => (/\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`));
}

function markdownLink(label: string, url: string): string {
  if (url === '' || url === NOWHERE) return label;
  const address = url.replace(/[\s()<>]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  return label === '' || label === url ? address : `[${label}](${address})`;
}
