import { escapeHtml } from '../text/escaping';
import type { LetterStyle } from './blocks';

/** CSS of letters. `underline` and `strikethrough` are one property, so they are written together. */
export function lettersCss({ color, bold, italic, strikethrough, underline, fontSize, lineHeight }: LetterStyle): string {
  let css = '';
  if (color) css += `color:${color};`;
  if (bold) css += 'font-weight:bold;';
  if (italic) css += 'font-style:italic;';
  if (underline || strikethrough)
    css += `text-decoration:${[underline && 'underline', strikethrough && 'line-through'].filter(Boolean).join(' ')};`;
  if (fontSize) css += `font-size:${fontSize};`;
  if (lineHeight) css += `line-height:${lineHeight};`;
  return css;
}

/** HTML with the letter style: tags, which every channel's writer supports, and CSS for the colour. */
export function styledHtml(html: string, { bold, italic, strikethrough, underline, color }: LetterStyle): string {
  let styled = html;
  if (bold) styled = `<strong>${styled}</strong>`;
  if (italic) styled = `<em>${styled}</em>`;
  if (strikethrough) styled = `<s>${styled}</s>`;
  if (underline) styled = `<u>${styled}</u>`;
  return color ? `<span style="color:${color}">${styled}</span>` : styled;
}

/** Text as HTML with its line ends. */
export function textToHtml(text: string): string {
  return escapeHtml(text).replace(/\r?\n/g, '<br>\n');
}
