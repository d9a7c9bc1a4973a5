import type { ActionBlock, Align, Block, ColumnsBlock, ImageBlock, ListBlock, QuoteBlock, TextBlock } from '../elemental/blocks';
import { lettersCss } from '../elemental/inline';
import { pixelsOf, readableOn } from '../elemental/style-values';
import { escapeHtml } from '../text/escaping';
import type { EmailLook } from './look';

/** Where blocks stand: what mail clients are told about widths is counted in pixels. */
interface Place {
  readonly look: EmailLook;
  readonly direction: 'ltr' | 'rtl';
  /** Pixels there are for a block. */
  readonly width: number;
  /** CSS for all texts, of the `channel` element or the coloured item they are in. */
  readonly css: string;
  readonly isInList?: boolean;
}

const TABLE = '<table role="presentation" cellpadding="0" cellspacing="0" border="0"';
const COLUMN_GAP = 16;
const WIDTH_MIN = 40;
const LIST_MARK_WIDTH = 16;
const LIST_MARK_GAP = 8;

/** Blocks as rows of one table: what every mail client understands. Addresses are made safe afterwards. */
export function blocksToHtml(blocks: readonly Block[], place: Place): string {
  let rows = '';
  for (const block of blocks) rows += row(block, place);
  return rows && `${TABLE} width="100%" style="width:100%;border-collapse:collapse;">\n${rows}</table>\n`;
}

function row(block: Block, place: Place): string {
  switch (block.type) {
    case 'text':
      return textRow(block, place);
    case 'quote':
      return quoteRow(block, place);
    case 'action':
      return cell('action', place.look.parts.action, actionHtml(block, place), block.align, place);
    case 'image':
      return block.src ? imageRow(block, place) : '';
    case 'divider':
      return cell('divider', place.look.parts.divider, dividerHtml(block.color ?? '#d4d4d8'), undefined, place);
    case 'html':
      return cell('html', place.look.parts['text-text'], block.html, undefined, place);
    case 'columns':
      return columnsRow(block, place);
    case 'list':
      return cell('list', place.isInList ? 'padding:0;' : place.look.parts.list, listHtml(block, place), undefined, place);
  }
}

function cell(type: string, style: string, inside: string, align: Align | undefined, place: Place, classes = ''): string {
  const side = align === 'full' || align === undefined ? (place.direction === 'rtl' ? 'right' : 'left') : align;
  return `<tr><td class="c--block c--block-${type}${classes}" align="${side}" style="${style}text-align:${side};">${inside}</td></tr>\n`;
}

function textRow({ html, style, align, letters }: TextBlock, place: Place): string {
  return cell(
    'text',
    place.look.parts[`text-${style}`] + place.css + lettersCss(letters),
    asParagraph(html, place),
    align,
    place,
    ` c--text-${style}`,
  );
}

/** Text made of parts has no paragraph of its own. */
function asParagraph(html: string, { look }: Place): string {
  return html && !html.startsWith('<p') && !/<(?:p|h[1-6]|ul|ol|table|pre|blockquote|div)[\s>]/.test(html)
    ? `<p style="${look.elements.p}">${html}</p>`
    : html;
}

function quoteRow(block: QuoteBlock, place: Place): string {
  const { parts } = place.look;
  const side = place.direction === 'rtl' ? 'right' : 'left';
  const own = block.style === 'text' ? parts.quote : parts[`text-${block.style}`] + parts.quote.replace(LETTER_SIZES, '');
  const letters = own + place.css + lettersCss(block.letters);
  const bar = `border-${side}:4px solid ${block.borderColor ?? '#d4d4d8'};`;
  const quote = `${TABLE} width="100%" style="width:100%;border-collapse:separate;"><tr><td class="c--quote" style="${letters}${bar}">${withoutLastMargin(asParagraph(block.html, place), place)}</td></tr></table>`;
  return cell('quote', 'padding:0 0 16px;', quote, block.align, place);
}

/** What a style of text says of them is a quote's too; its colour and its place are the quote's. */
const LETTER_SIZES = /(?:font-size|line-height|font-weight):[^;]*;/g;

/** The last paragraph without the space below it: what it stands in has its own. */
function withoutLastMargin(html: string, { look }: Place): string {
  const paragraph = `<p style="${look.elements.p}`;
  const at = html.lastIndexOf(paragraph);
  return at < 0 ? html : `${html.slice(0, at)}${paragraph}margin-bottom:0;${html.slice(at + paragraph.length)}`;
}

/** Paragraphs as close to one another as items of a list are. */
function tight(html: string, { look }: Place): string {
  const paragraph = `<p style="${look.elements.p}"`;
  return html.replaceAll(paragraph, `${paragraph.slice(0, -1)}margin-bottom:4px;"`);
}

function actionHtml(block: ActionBlock, { look }: Place): string {
  const label = escapeHtml(block.label || block.href);
  const href = escapeHtml(block.href);
  if (block.style === 'link') {
    const css = `${block.color ? `color:${block.color};` : ''}${block.fontSize ? `font-size:${block.fontSize};` : ''}`;
    return `<a href="${href}" target="_blank" class="c--button-link" style="${look.parts['button-link']}${css}">${label}</a>`;
  }
  const background =
    block.backgroundColor ?? { button: look.theme.primary, secondary: look.theme.secondary, tertiary: look.theme.tertiary }[block.style];
  let css = '';
  if (block.backgroundColor) css += `background-color:${block.backgroundColor};color:${readableOn(block.backgroundColor)};`;
  if (block.color) css += `color:${block.color};`;
  if (block.borderRadius) css += `border-radius:${block.borderRadius};`;
  if (block.borderSize) css += `border:${block.borderSize} solid ${block.color ?? readableOn(background)};`;
  if (block.fontSize) css += `font-size:${block.fontSize};`;
  if (block.padding) css += `padding:${block.padding};`;
  if (block.align === 'full') css += 'display:block;';
  // Outlook knows no padding of links: its button is the cell, and the padding is the cell's there alone.
  const corners = block.borderRadius ? `border-radius:${block.borderRadius};` : 'border-radius:6px;';
  const width =
    block.align === 'full'
      ? ' width="100%" style="width:100%;border-collapse:separate;"'
      : ' style="border-collapse:separate;display:inline-table;"';
  return (
    `${TABLE}${width}><tr><td align="center" bgcolor="${background}" style="background-color:${background};${corners}mso-padding-alt:${block.padding ?? '12px 24px'};">` +
    `<a href="${href}" target="_blank" class="c--button c--button-${block.style}" style="${look.parts[`button-${block.style}`]}${css}">${label}</a></td></tr></table>`
  );
}

function imageRow(block: ImageBlock, place: Place): string {
  const { look } = place;
  const pixels = block.align === 'full' ? place.width : Math.min(place.width, pixelsOf(block.width) ?? place.width);
  const isSized = block.align === 'full' || pixelsOf(block.width) !== undefined;
  const css =
    `${look.elements.img ?? ''}display:inline-block;height:auto;outline:none;text-decoration:none;` +
    (isSized ? `width:100%;max-width:${pixels}px;` : block.width ? `width:${block.width};` : `max-width:100%;`) +
    (block.borderSize || block.borderColor ? `border:${block.borderSize ?? '1px'} solid ${block.borderColor ?? '#d4d4d8'};` : '');
  const image = `<img src="${escapeHtml(block.src)}" alt="${escapeHtml(block.alt)}"${isSized ? ` width="${pixels}"` : ''} style="${css}">`;
  const linked = block.href ? `<a href="${escapeHtml(block.href)}" target="_blank" style="text-decoration:none;">${image}</a>` : image;
  return cell('image', look.parts.image + (block.padding ? `padding:${block.padding};` : ''), linked, block.align, place);
}

function dividerHtml(color: string): string {
  return `${TABLE} width="100%" style="width:100%;"><tr><td style="border-top:1px solid ${color};font-size:1px;line-height:1px;">&nbsp;</td></tr></table>`;
}

/** Columns beside one another where there is room, below one another on a phone, with no rule that a client must know. */
function columnsRow({ columns }: ColumnsBlock, place: Place): string {
  if (columns.length === 0) return '';
  const widths = columnWidths(columns.map(({ width }) => width), place.width); // prettier-ignore
  const side = place.direction === 'rtl' ? 'left' : 'right';
  let html = `<!--[if mso]>${TABLE} width="100%"><tr><![endif]-->`;
  columns.forEach(({ blocks }, index) => {
    const width = widths[index] as number;
    const gap = index < columns.length - 1 ? COLUMN_GAP : 0;
    const inner = Math.max(WIDTH_MIN, width - gap);
    html +=
      `<!--[if mso]><td width="${width}" valign="top"><![endif]-->` +
      `<div class="c--column" style="display:inline-block;width:100%;max-width:${width}px;vertical-align:top;">` +
      `${TABLE} width="100%" style="width:100%;"><tr><td class="c--column-cell" style="padding-${side}:${gap}px;">` +
      `${blocksToHtml(blocks, { ...place, width: inner })}</td></tr></table></div><!--[if mso]></td><![endif]-->`;
  });
  return cell('columns', place.look.parts.columns, `${html}<!--[if mso]></tr></table><![endif]-->`, undefined, place);
}

/** In pixels: what columns ask for, and an equal share of the rest for those that do not. */
function columnWidths(asked: readonly (string | undefined)[], total: number): number[] {
  const wanted = asked.map((width) => {
    if (width?.endsWith('%')) return (total * parseFloat(width)) / 100;
    return pixelsOf(width);
  });
  const taken = wanted.reduce<number>((sum, width) => sum + (width ?? 0), 0);
  const open = wanted.filter((width) => width === undefined).length;
  const share = open > 0 ? Math.max(WIDTH_MIN, (total - taken) / open) : 0;
  const widths = wanted.map((width) => width ?? share);
  const sum = widths.reduce((all, width) => all + width, 0);
  return widths.map((width) => Math.max(WIDTH_MIN, Math.floor(sum > total ? (width * total) / sum : width)));
}

function listHtml({ ordered, image, items }: ListBlock, place: Place): string {
  const { parts } = place.look;
  const inside = { ...place, isInList: true, width: Math.max(WIDTH_MIN, place.width - LIST_MARK_WIDTH - LIST_MARK_GAP) };
  let number = 0;
  let rows = '';
  for (const { isItem, backgroundColor, blocks } of items) {
    const mark = isItem ? (image ? markImage(image) : ordered ? `${(number += 1)}.` : '&bull;') : '&nbsp;';
    const letters = place.css + (backgroundColor ? `color:${readableOn(backgroundColor)};` : '');
    const ground = letters + (backgroundColor ? `background-color:${backgroundColor};` : '');
    const content = tight(blocksToHtml(blocks, { ...inside, css: letters }), place);
    rows += `<tr><td class="c--list-mark" width="${LIST_MARK_WIDTH}" valign="top" style="${parts['list-mark']}width:${LIST_MARK_WIDTH}px;${ground}">${mark}</td><td class="c--list-item" valign="top" style="${parts['list-item']}${ground}">${content}</td></tr>\n`;
  }
  return `${TABLE} width="100%" style="width:100%;">\n${rows}</table>`;
}

function markImage({ src, href }: { readonly src: string; readonly href?: string }): string {
  const picture = `<img src="${escapeHtml(src)}" alt="" width="16" style="width:16px;height:auto;border:0;">`;
  return href ? `<a href="${escapeHtml(href)}" target="_blank">${picture}</a>` : picture;
}
