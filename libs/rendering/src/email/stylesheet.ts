import type { Direction } from '../elemental/locale';
import { colorOf, legible, pixelsOf, readableOn } from '../elemental/style-values';
import type { BrandParts } from './brand';

/** Colours and width of an e-mail, every value safe in CSS. */
export type Theme = Readonly<ReturnType<typeof themeOf>>;

const WIDTH = 600;
const WIDTH_MIN = 280;
const WIDTH_MAX = 1_200;

/** The theme of a brand, with defaults where it has none; the width has bounds. */
export function themeOf(brand: BrandParts | null) {
  const primary = colorOf(brand?.colors.primary) ?? '#1d4ed8';
  const width = pixelsOf(brand?.override?.width) ?? WIDTH;
  return {
    primary,
    secondary: colorOf(brand?.colors.secondary) ?? '#e4e4e7',
    tertiary: colorOf(brand?.colors.tertiary) ?? '#f4f4f5',
    /** Background around the message column. */
    ground: colorOf(brand?.override?.backgroundColor) ?? '#f4f4f5',
    surface: colorOf(brand?.override?.blocksBackgroundColor) ?? '#fefefe',
    /** Column width in pixels. */
    width: Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width)),
    barColor: colorOf(brand?.barColor),
  };
}

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const INK = '#18181b';

/**
 * The standard rules of blocks for a text direction, before a brand's own rules. Mails never contain it: the rules are inlined
 * once per brand. Colours avoid pure black and white, and every background is set with its letter colour, so that dark modes
 * invert both.
 */
export function stylesheet({ primary, secondary, tertiary, ground, surface }: Theme, direction: Direction): string {
  const start = direction === 'rtl' ? 'right' : 'left';
  /** Padding by the start and end of lines. */
  const spaces = (above: string, atEnd: string, below: string, atStart: string) =>
    direction === 'rtl' ? `${above} ${atStart} ${below} ${atEnd}` : `${above} ${atEnd} ${below} ${atStart}`;
  const ink = legible(INK, surface, readableOn(surface));
  const faint = legible('#52525b', surface, ink);
  const quoted = legible('#3f3f46', surface, ink);
  const link = legible(primary, surface, ink);
  return `
.c--email-body { margin: 0; padding: 0; width: 100%; background-color: ${ground}; word-break: break-word; }
.c--blocks { padding: 24px 32px 8px; background-color: ${surface}; ${FONT}; font-size: 16px; line-height: 24px; color: ${ink}; }
.c--block { padding: 0; ${FONT}; font-size: 16px; line-height: 24px; color: ${ink}; word-break: break-word; }
.c--text-h1 { font-size: 28px; line-height: 36px; font-weight: bold; }
.c--text-h2 { font-size: 22px; line-height: 30px; font-weight: bold; }
.c--text-h3 { font-size: 18px; line-height: 26px; font-weight: bold; }
.c--text-subtext { font-size: 13px; line-height: 20px; color: ${faint}; }
.c--block-quote { padding: ${spaces('4px', '0', '4px', '16px')}; color: ${quoted}; }
.c--block-action { padding: 4px 0 20px; }
.c--block-image { padding: 0 0 16px; }
.c--block-divider { padding: 8px 0 24px; }
.c--block-list { padding: 0 0 16px; }
.c--block-columns { padding: 0; font-size: 0; }
.c--button { display: inline-block; ${FONT}; font-size: 16px; line-height: 20px; font-weight: bold; text-decoration: none; padding: 12px 24px; border-radius: 6px; text-align: center; }
.c--button-button { background-color: ${primary}; color: ${readableOn(primary)}; }
.c--button-secondary { background-color: ${secondary}; color: ${readableOn(secondary)}; }
.c--button-tertiary { background-color: ${tertiary}; color: ${readableOn(tertiary)}; }
.c--button-link { ${FONT}; font-size: 16px; line-height: 24px; color: ${link}; text-decoration: underline; }
.c--list-mark { padding: ${spaces('0', '8px', '6px', '0')}; ${FONT}; font-size: 16px; line-height: 24px; color: ${ink}; vertical-align: top; white-space: nowrap; }
.c--list-item { padding: 0 0 6px; }
.c--email-header { padding: 24px 32px 0; background-color: ${surface}; ${FONT}; font-size: 16px; line-height: 24px; color: ${ink}; word-break: break-word; }
.c--email-footer { padding: 16px 32px 24px; ${FONT}; font-size: 13px; line-height: 20px; color: #52525b; word-break: break-word; }
.c--social { padding: 8px 0 0; ${FONT}; font-size: 13px; line-height: 20px; color: #52525b; }
p { margin: 0 0 16px; }
.c--block h1, .c--email-footer h1 { margin: 0 0 16px; font-size: 28px; line-height: 36px; }
.c--block h2, .c--email-footer h2 { margin: 0 0 16px; font-size: 22px; line-height: 30px; }
.c--block h3, .c--email-footer h3 { margin: 0 0 16px; font-size: 18px; line-height: 26px; }
ul, ol { margin: 0 0 16px; padding: ${spaces('0', '0', '0', '24px')}; }
li { margin: 0 0 4px; }
blockquote { margin: 0 0 16px; padding: ${spaces('0', '0', '0', '16px')}; border-${start}: 4px solid #d4d4d8; color: ${quoted}; }
a { color: ${link}; }
img { max-width: 100%; border: 0; }
pre { margin: 0 0 16px; padding: 12px; background-color: #f4f4f5; color: ${INK}; white-space: pre-wrap; font-size: 14px; line-height: 20px;${direction === 'rtl' ? ' direction: ltr; text-align: left;' : ''} }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 14px; }
hr { margin: 24px 0; border: 0; border-top: 1px solid #d4d4d8; }
.c--markdown-table { margin: 0 0 16px; border-collapse: collapse; }
.c--markdown-table th, .c--markdown-table td { padding: 4px 12px; border: 1px solid #d4d4d8; }
`;
}
