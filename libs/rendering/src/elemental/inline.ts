import { escapeHtml } from '../text/escaping';
import type { LetterStyle } from './blocks';

/** The declarations that have a value. */
export function cssOf(declarations: Readonly<Record<string, string | false | undefined>>): string {
  let css = '';
  for (const [name, value] of Object.entries(declarations)) if (value) css += `${name}:${value};`;
  return css;
}

/** CSS of letters. `underline` and `strikethrough` are one property, so they are written together. */
export function lettersCss({ color, bold, italic, strikethrough, underline, fontSize, lineHeight }: LetterStyle): string {
  return cssOf({
    color,
    'font-weight': bold && 'bold',
    'font-style': italic && 'italic',
    'text-decoration': [underline && 'underline', strikethrough && 'line-through'].filter(Boolean).join(' '),
    'font-size': fontSize,
    'line-height': lineHeight,
  });
}

const TAGS = [['bold', 'strong'], ['italic', 'em'], ['strikethrough', 's'], ['underline', 'u']] as const; // prettier-ignore

/** HTML with the letter style: tags, which every channel's writer supports, and CSS for the colour. */
export function styledHtml(html: string, style: LetterStyle): string {
  let styled = html;
  for (const [name, tag] of TAGS) if (style[name]) styled = `<${tag}>${styled}</${tag}>`;
  return style.color ? `<span style="color:${style.color}">${styled}</span>` : styled;
}

/** Text as HTML with its line ends. */
export function textToHtml(text: string): string {
  return escapeHtml(text).replace(/\r?\n/g, '<br>\n');
}
