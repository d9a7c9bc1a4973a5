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
  const inlined = juice()(`<html><head><style>${css}</style>${head}</head>${SPECIMEN}</html>`, { removeStyleTags: true });
  return { id, theme, elements: readStyles(inlined, 'element'), parts: readStyles(inlined, 'part') as Record<Part, string> };
}

const cell = (name: string, classes: string, inside = 'x') => `<tr><td data-part="${name}" class="${classes}">${inside}</td></tr>`;

const MARKDOWN = [
  '<p data-element="p">x</p>',
  ...['h1', 'h2', 'h3'].map((name) => `<${name} data-element="${name}">x</${name}>`),
  '<ul data-element="ul"><li data-element="li">x</li></ul><ol data-element="ol"><li>x</li></ol>',
  '<blockquote data-element="blockquote">x</blockquote><p><a href="#" data-element="a">x</a></p>',
  '<p><img data-element="img" src="#" alt=""></p><pre data-element="pre"><code data-element="pre code">x</code></pre><p><code data-element="code">x</code></p>',
  '<hr data-element="hr"><table data-element="table" class="c--markdown-table">',
  '<tr><th data-element="th">x</th></tr><tr><td data-element="td">x</td></tr></table>',
].join('');

const SPECIMEN = [
  '<body data-part="body" class="c--email-body"><table><tr><td data-part="header" class="c--email-header">x</td></tr>',
  '<tr><td data-part="blocks" class="c--blocks"><table>',
  ...TEXT_STYLES.map((name) => cell(`text-${name}`, `c--block c--block-text c--text-${name}`, name === 'text' ? MARKDOWN : 'x')),
  ...CELLS.map((name) => cell(name, `c--block c--block-${name}`)),
  ...ACTION_STYLES.map((name) => {
    const classes = name === 'link' ? 'c--button-link' : `c--button c--button-${name}`;
    return cell('none', 'c--block c--block-action', `<a href="#" data-part="button-${name}" class="${classes}">x</a>`);
  }),
  '<tr><td data-part="list-mark" class="c--list-mark">x</td><td data-part="list-item" class="c--list-item">x</td></tr>',
  '</table></td></tr><tr><td data-part="footer" class="c--email-footer">x<div data-part="social" class="c--social">x</div></td></tr>',
  '</table></body>',
].join('');

const TAG = /<[a-z][a-z0-9]*((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/gi;

/** The style of each element with the attribute `data-<kind>`, by its value; empty where it has none. */
function readStyles(html: string, kind: 'element' | 'part'): Record<string, string> {
  const styles = [...html.matchAll(TAG)].flatMap(([, attributes = '']) => {
    const name = new RegExp(`\\sdata-${kind}="([^"]*)"`).exec(attributes)?.[1];
    const style = /\sstyle="([^"]*)"/.exec(attributes)?.[1];
    return name ? [[name, style ? compact(decodeEntities(style, 'attribute')) : '']] : [];
  });
  return Object.fromEntries(styles) as Record<string, string>;
}

/** Removes optional spaces of CSS, since every mail repeats them. */
function compact(style: string) {
  const css = style.trim().replace(/;\s+/g, ';').replace(/^([a-z-]+):\s+/i, '$1:').replace(/;([a-z-]+):\s+/gi, ';$1:').replace(/,\s+/g, ','); // prettier-ignore
  return escapeHtml(css.endsWith(';') ? css : `${css};`).replaceAll('&#39;', "'");
}
