import { ACTION_STYLES, TEXT_STYLES } from '../elemental/blocks';
import type { Direction } from '../elemental/locale';
import { decodeEntities } from '../html';
import type { TextStyles } from '../rich-text/rich-text';
import { escapeHtml } from '../text/escaping';
import { juice } from './lazy-packages';
import { stylesheet, type Theme } from './stylesheet';

/** Inline styles of all parts of blocks, by kind. */
export interface EmailStyles extends TextStyles {
  readonly theme: Theme;
  /** The `style` of a part, as CSS ending in `;`, and written for an attribute. */
  readonly parts: Readonly<Record<Part, string>>;
}

const CELLS = ['quote', 'action', 'image', 'divider', 'list', 'columns'] as const;
type Part =
  | `text-${(typeof TEXT_STYLES)[number]}`
  | `button-${(typeof ACTION_STYLES)[number]}`
  | (typeof CELLS)[number]
  | 'body'
  | 'blocks'
  | 'list-mark'
  | 'list-item'
  | 'header'
  | 'footer'
  | 'social';

/**
 * Computes the inline styles of each kind of block under a brand: a CSS library inlines the standard rules and the brand's
 * `<style>`s into a specimen of all kinds. Done once per brand; mails then only insert the styles.
 * @param id id of the styles, see `TextStyles`.
 * @param head the brand's HTML for `<head>`, without variables.
 * @param direction text direction: indentation and bars are at the start of lines.
 */
export function makeEmailStyles(id: string, theme: Theme, head: string, direction: Direction): EmailStyles {
  const css = stylesheet(theme, direction);
  // The brand's rules come last, so they override the standard ones.
  const inlined = juice(`<html><head><style>${css}</style>${head}</head>${SPECIMEN}</html>`, { removeStyleTags: true });
  const styles = readStyles(inlined);
  const elements = styles.flatMap(([part, style]) => (part.startsWith(ELEMENT) ? [[part.slice(ELEMENT.length), style]] : []));
  return {
    id,
    theme,
    elements: Object.fromEntries(elements) as Record<string, string>,
    parts: Object.fromEntries(styles) as Record<Part, string>,
  };
}

const ELEMENT = 'element-';
const texts = TEXT_STYLES.map((name) => [`text-${name}`, `c--block c--block-text c--text-${name}`] as const);
const cells = CELLS.map((name) => [name, `c--block c--block-${name}`] as const);
const buttons = ACTION_STYLES.map(
  (name) => [`button-${name}`, name === 'link' ? 'c--button-link' : `c--button c--button-${name}`] as const,
);

const cell = (name: string, classes: string, inside = 'x') => `<tr><td data-part="${name}" class="${classes}">${inside}</td></tr>`;

const MARKDOWN = [
  '<p data-part="element-p">x</p>',
  ...['h1', 'h2', 'h3'].map((name) => `<${name} data-part="element-${name}">x</${name}>`),
  '<ul data-part="element-ul"><li data-part="element-li">x</li></ul><ol data-part="element-ol"><li>x</li></ol>',
  '<blockquote data-part="element-blockquote">x</blockquote><p><a href="#" data-part="element-a">x</a></p>',
  '<p><img data-part="element-img" src="#" alt=""></p><pre data-part="element-pre"><code data-part="element-pre code">x</code></pre><p><code data-part="element-code">x</code></p>',
  '<hr data-part="element-hr"><table data-part="element-table" class="c--markdown-table">',
  '<tr><th data-part="element-th">x</th></tr><tr><td data-part="element-td">x</td></tr></table>',
].join('');

const SPECIMEN = [
  '<body data-part="body" class="c--email-body"><table><tr><td data-part="header" class="c--email-header">x</td></tr>',
  '<tr><td data-part="blocks" class="c--blocks"><table>',
  ...texts.map(([name, classes]) => cell(name, classes, name === 'text-text' ? MARKDOWN : 'x')),
  ...cells.map(([name, classes]) => cell(name, classes)),
  ...buttons.map(([name, classes]) => cell('none', 'c--block c--block-action', `<a href="#" data-part="${name}" class="${classes}">x</a>`)),
  '<tr><td data-part="list-mark" class="c--list-mark">x</td><td data-part="list-item" class="c--list-item">x</td></tr>',
  '</table></td></tr><tr><td data-part="footer" class="c--email-footer">x<div data-part="social" class="c--social">x</div></td></tr>',
  '</table></body>',
].join('');

const TAG = /<[a-z][a-z0-9]*((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/gi;

/** The style of each part, empty where it has none. */
function readStyles(html: string): [part: string, style: string][] {
  return [...html.matchAll(TAG)].flatMap(([, attributes = '']) => {
    const part = /\sdata-part="([^"]*)"/.exec(attributes)?.[1];
    const style = /\sstyle="([^"]*)"/.exec(attributes)?.[1];
    return part ? [[part, style ? compact(decodeEntities(style, 'attribute')) : '']] : [];
  });
}

/** Removes optional spaces of CSS, since every mail repeats them. */
function compact(style: string): string {
  const css = style.trim().replace(/;\s+/g, ';').replace(/^([a-z-]+):\s+/i, '$1:').replace(/;([a-z-]+):\s+/gi, ';$1:').replace(/,\s+/g, ','); // prettier-ignore
  return escapeHtml(css.endsWith(';') ? css : `${css};`).replaceAll('&#39;', "'");
}
