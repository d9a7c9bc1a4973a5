import type { ActionBlock, Align, Block, ColumnsBlock, ImageBlock, ListBlock, QuoteBlock } from '../elemental/blocks';
import { cssOf, lettersCss } from '../elemental/inline';
import type { Direction } from '../elemental/locale';
import { pixelsOf, readableOn } from '../elemental/style-values';
import { escapeHtml } from '../text/escaping';
import type { EmailStyles } from './email-styles';

/** Layout of blocks; widths are in pixels, as mail clients need them. */
interface Layout {
  readonly styles: EmailStyles;
  readonly direction: Direction;
  /** Available width in pixels. */
  readonly width: number;
  /** CSS for all texts, from the `channel` element or the enclosing coloured item. */
  readonly css: string;
  readonly isInList?: boolean;
}

export const TABLE = '<table role="presentation" cellpadding="0" cellspacing="0" border="0"';
const COLUMN_GAP = 16;
const WIDTH_MIN = 40;
const LIST_MARK_WIDTH = 16;
const LIST_MARK_GAP = 8;

/** Blocks as rows of one table, which every mail client supports. Addresses are made safe later. */
export function blocksToHtml(blocks: readonly Block[], layout: Layout): string {
  let rows = '';
  for (const block of blocks) rows += row(block, layout);
  return rows && `${TABLE} width="100%" style="width:100%;border-collapse:collapse;">\n${rows}</table>\n`;
}

function row(block: Block, layout: Layout) {
  const { parts } = layout.styles;
  switch (block.type) {
    case 'text': {
      const style = parts[`text-${block.style}`] + layout.css + lettersCss(block.letters);
      return cell(layout, `text c--text-${block.style}`, style, asParagraph(block.html, layout), block.align);
    }
    case 'quote':
      return quoteRow(block, layout);
    case 'action':
      return cell(layout, 'action', parts.action, actionHtml(block, layout), block.align);
    case 'image':
      return block.src ? imageRow(block, layout) : '';
    case 'divider':
      return cell(layout, 'divider', parts.divider, dividerHtml(block.color ?? '#d4d4d8'));
    case 'html':
      return cell(layout, 'html', parts['text-text'], block.html);
    case 'columns':
      return columnsRow(block, layout);
    case 'list':
      return cell(layout, 'list', layout.isInList ? 'padding:0;' : parts.list, listHtml(block, layout));
  }
}

/** `classes`: the type of the block, and further classes. */
function cell({ direction }: Layout, classes: string, style: string, inside: string, align?: Align) {
  const side = align === 'full' || align === undefined ? startOf(direction) : align;
  return `<tr><td class="c--block c--block-${classes}" align="${side}" style="${style}text-align:${side};">${inside}</td></tr>\n`;
}

function startOf(direction: Direction) {
  return direction === 'rtl' ? 'right' : 'left';
}

/** Wraps text of inline parts, which has no paragraph, in one. */
function asParagraph(html: string, { styles }: Layout) {
  return html && !html.startsWith('<p') && !/<(?:p|h[1-6]|ul|ol|table|pre|blockquote|div)[\s>]/.test(html)
    ? `<p style="${styles.elements.p}">${html}</p>`
    : html;
}

function quoteRow(block: QuoteBlock, layout: Layout) {
  const { parts } = layout.styles;
  const own = block.style === 'text' ? parts.quote : parts[`text-${block.style}`] + parts.quote.replace(LETTER_SIZES, '');
  const letters = own + layout.css + lettersCss(block.letters);
  const bar = `border-${startOf(layout.direction)}:4px solid ${block.borderColor ?? '#d4d4d8'};`;
  const quote = `${TABLE} width="100%" style="width:100%;border-collapse:separate;"><tr><td class="c--quote" style="${letters}${bar}">${withoutLastMargin(asParagraph(block.html, layout), layout)}</td></tr></table>`;
  return cell(layout, 'quote', 'padding:0 0 16px;', quote, block.align);
}

/** Properties that a quote inherits from its text style; colour and padding are the quote's own. */
const LETTER_SIZES = /(?:font-size|line-height|font-weight):[^;]*;/g;

/** Removes the space below the last paragraph, since its container has padding. */
function withoutLastMargin(html: string, { styles }: Layout) {
  const paragraph = `<p style="${styles.elements.p}`;
  const at = html.lastIndexOf(paragraph);
  return at < 0 ? html : `${html.slice(0, at)}${paragraph}margin-bottom:0;${html.slice(at + paragraph.length)}`;
}

/** Reduces the space between paragraphs to that of list items. */
function tight(html: string, { styles }: Layout) {
  const paragraph = `<p style="${styles.elements.p}"`;
  return html.replaceAll(paragraph, `${paragraph.slice(0, -1)}margin-bottom:4px;"`);
}

function actionHtml(block: ActionBlock, { styles }: Layout) {
  const label = escapeHtml(block.label || block.href);
  const href = escapeHtml(block.href);
  if (block.style === 'link') {
    const css = cssOf({ color: block.color, 'font-size': block.fontSize });
    return `<a href="${href}" target="_blank" class="c--button-link" style="${styles.parts['button-link']}${css}">${label}</a>`;
  }
  const { backgroundColor, color, borderRadius, borderSize, fontSize, padding } = block;
  const background = backgroundColor ?? styles.theme[block.style === 'button' ? 'primary' : block.style];
  const ground = cssOf({ 'background-color': backgroundColor, color: backgroundColor && readableOn(backgroundColor) });
  const border = borderSize && `${borderSize} solid ${color ?? readableOn(background)}`;
  const isFull = block.align === 'full';
  const css = ground + cssOf({ color, 'border-radius': borderRadius, border, 'font-size': fontSize, padding, display: isFull && 'block' });
  // Outlook ignores padding of links: there the button is the cell, with its own padding.
  const width = isFull
    ? ' width="100%" style="width:100%;border-collapse:separate;"'
    : ' style="border-collapse:separate;display:inline-table;"';
  return (
    `${TABLE}${width}><tr><td align="center" bgcolor="${background}" style="background-color:${background};border-radius:${borderRadius ?? '6px'};mso-padding-alt:${padding ?? '12px 24px'};">` +
    `<a href="${href}" target="_blank" class="c--button c--button-${block.style}" style="${styles.parts[`button-${block.style}`]}${css}">${label}</a></td></tr></table>`
  );
}

function imageRow(block: ImageBlock, layout: Layout) {
  const { styles } = layout;
  const pixels = block.align === 'full' ? layout.width : Math.min(layout.width, pixelsOf(block.width) ?? layout.width);
  const isSized = block.align === 'full' || pixelsOf(block.width) !== undefined;
  const css =
    `${styles.elements.img ?? ''}display:inline-block;height:auto;outline:none;text-decoration:none;` +
    (isSized ? `width:100%;max-width:${pixels}px;` : block.width ? `width:${block.width};` : `max-width:100%;`) +
    (block.borderSize || block.borderColor ? `border:${block.borderSize ?? '1px'} solid ${block.borderColor ?? '#d4d4d8'};` : '');
  const image = `<img src="${escapeHtml(block.src)}" alt="${escapeHtml(block.alt)}"${isSized ? ` width="${pixels}"` : ''} style="${css}">`;
  const linked = block.href ? `<a href="${escapeHtml(block.href)}" target="_blank" style="text-decoration:none;">${image}</a>` : image;
  return cell(layout, 'image', styles.parts.image + cssOf({ padding: block.padding }), linked, block.align);
}

function dividerHtml(color: string) {
  return `${TABLE} width="100%" style="width:100%;"><tr><td style="border-top:1px solid ${color};font-size:1px;line-height:1px;">&nbsp;</td></tr></table>`;
}

/** Columns side by side, or stacked on a phone, without CSS rules that clients must support. */
function columnsRow({ columns }: ColumnsBlock, layout: Layout) {
  if (columns.length === 0) return '';
  const widths = columnWidths(columns.map(({ width }) => width), layout.width); // prettier-ignore
  const side = layout.direction === 'rtl' ? 'left' : 'right';
  let html = `<!--[if mso]>${TABLE} width="100%"><tr><![endif]-->`;
  columns.forEach(({ blocks }, index) => {
    const width = widths[index] as number;
    const gap = index < columns.length - 1 ? COLUMN_GAP : 0;
    const inner = Math.max(WIDTH_MIN, width - gap);
    html +=
      `<!--[if mso]><td width="${width}" valign="top"><![endif]-->` +
      `<div class="c--column" style="display:inline-block;width:100%;max-width:${width}px;vertical-align:top;">` +
      `${TABLE} width="100%" style="width:100%;"><tr><td class="c--column-cell" style="padding-${side}:${gap}px;">` +
      `${blocksToHtml(blocks, { ...layout, width: inner })}</td></tr></table></div><!--[if mso]></td><![endif]-->`;
  });
  return cell(layout, 'columns', layout.styles.parts.columns, `${html}<!--[if mso]></tr></table><![endif]-->`);
}

/** Widths in pixels: as specified, and an equal share of the rest for columns without a width. */
function columnWidths(specified: readonly (string | undefined)[], total: number) {
  const wanted = specified.map((width) => {
    if (width?.endsWith('%')) return (total * parseFloat(width)) / 100;
    return pixelsOf(width);
  });
  const used = wanted.reduce<number>((sum, width) => sum + (width ?? 0), 0);
  const open = wanted.filter((width) => width === undefined).length;
  const share = open > 0 ? Math.max(WIDTH_MIN, (total - used) / open) : 0;
  const widths = wanted.map((width) => width ?? share);
  const sum = widths.reduce((all, width) => all + width, 0);
  return widths.map((width) => Math.max(WIDTH_MIN, Math.floor(sum > total ? (width * total) / sum : width)));
}

function listHtml({ ordered, image, items }: ListBlock, layout: Layout) {
  const { parts } = layout.styles;
  const inside = { ...layout, isInList: true, width: Math.max(WIDTH_MIN, layout.width - LIST_MARK_WIDTH - LIST_MARK_GAP) };
  let number = 0;
  let rows = '';
  for (const { isItem, backgroundColor, blocks } of items) {
    const mark = isItem ? (image ? markImage(image) : ordered ? `${(number += 1)}.` : '&bull;') : '&nbsp;';
    const letters = layout.css + cssOf({ color: backgroundColor && readableOn(backgroundColor) });
    const ground = letters + cssOf({ 'background-color': backgroundColor });
    const content = tight(blocksToHtml(blocks, { ...inside, css: letters }), layout);
    rows += `<tr><td class="c--list-mark" width="${LIST_MARK_WIDTH}" valign="top" style="${parts['list-mark']}width:${LIST_MARK_WIDTH}px;${ground}">${mark}</td><td class="c--list-item" valign="top" style="${parts['list-item']}${ground}">${content}</td></tr>\n`;
  }
  return `${TABLE} width="100%" style="width:100%;">\n${rows}</table>`;
}

function markImage({ src, href }: { readonly src: string; readonly href?: string }) {
  const picture = `<img src="${escapeHtml(src)}" alt="" width="16" style="width:16px;height:auto;border:0;">`;
  return href ? `<a href="${escapeHtml(href)}" target="_blank">${picture}</a>` : picture;
}
