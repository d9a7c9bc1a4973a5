import { invalid } from '@tidings/contracts/core/refusals';
import { CompileCache, timeCompile } from '../compile-cache';
import type { Direction } from '../elemental/locale';
import { colorOf } from '../elemental/style-values';
import { NotCompiled, tryToCompile } from '../not-compiled';
import { INLINE_COMPILE_MAX, type RenderBudget } from '../render-budget';
import { htmlToFormat } from '../rich-text/html-to-format';
import { markdownToHtml } from '../rich-text/markdown-html';
import { BARE, compileRichText } from '../rich-text/rich-text';
import { PLAIN } from '../rich-text/text-format';
import type { RenderScope } from '../scope';
import { escapeHtml } from '../text/escaping';
import { type CompiledText, compileText } from '../text/template-text';
import { addressesFor, type Utm } from '../urls';
import { TABLE } from './blocks-html';
import type { BrandParts, FrameOverride } from './brand';
import { type EmailStyles, makeEmailStyles } from './email-styles';
import { MJML_COST, compileMjml, type UnknownElement } from './mjml';
import { themeOf } from './stylesheet';

/** Slots of a frame that each mail fills in. No value can produce one, since its `<` and quotes are escaped. */
export const SLOTS = {
  subject: '<!--tidings:subject-->',
  /** MJML's default attributes, which it writes twice. */
  language: 'lang="und" dir="auto"',
  preheader: '<!--tidings:preheader-->',
  blocks: '<!--tidings:blocks-->',
} as const;

/** The frame around an e-mail's blocks, compiled once per brand and direction: plain data that can move between threads. */
export interface Frame {
  readonly styles: EmailStyles;
  /** The document with Handlebars and `SLOTS` in it. */
  readonly html: string;
  /** Inner width of the column in pixels. */
  readonly contentWidth: number;
  /** Unknown elements of the brand's MJML, which are left out. */
  readonly unknown: readonly UnknownElement[];
}

/** Inputs of a frame. */
export interface FrameInput {
  readonly brand: BrandParts | null;
  readonly direction: Direction;
}

const SIDE_PADDING = 32;
/** Cost of the styles, and of each character of the brand's `<head>`, in the unit of `INLINE_COMPILE_MAX`. */
const STYLES_COST = 5_000;
const HEAD_CHAR_COST = 7;
const frames = new CompileCache<Frame>(500, 64_000_000, ({ html }, key) => key.length + html.length);
/** Cache key of a frame. */
export const nameOfFrame = ({ brand, direction }: FrameInput): string => `${direction} ${brand?.key ?? ''}`;

/** The frame of a brand, or the plain one. Throws `NotCompiled` when the budget does not cover its compilation. */
export function frameOf(input: FrameInput, budget?: RenderBudget): Frame {
  return frames.getOrMake(nameOfFrame(input), () => {
    if (budget && !budget.trySpendCompilation(costOf(input))) throw new NotCompiled({ job: 'frame', input });
    return timeCompile(() => makeFrame(input));
  });
}

/** The cached frame when it is slow to compile; undefined otherwise. */
export function cachedSlowFrame(input: FrameInput): Frame | undefined {
  return costOf(input) <= INLINE_COMPILE_MAX ? undefined : frames.get(nameOfFrame(input));
}

/** Whether the frame is slow to compile and not cached on this thread. */
export function isFrameNotCompiled(input: FrameInput): boolean {
  return costOf(input) > INLINE_COMPILE_MAX && !frames.has(nameOfFrame(input));
}

/** Caches a frame that another thread compiled. */
export function cacheFrame(input: FrameInput, frame: Frame): void {
  const cached = frames.getOrMake(nameOfFrame(input), () => frame);
  tryToCompile((budget) => documentOf(cached, budget));
}

/** The document around the blocks. */
export function documentOf({ html }: Frame, budget?: RenderBudget): CompiledText {
  return compileText(html, 'attribute', budget);
}

function costOf({ brand }: FrameInput) {
  if (brand?.override?.mjml) return MJML_COST;
  const head = brand?.override?.head ?? brand?.head ?? '';
  return STYLES_COST + HEAD_CHAR_COST * head.length + (brand?.footer?.length ?? 0);
}

function makeFrame({ brand, direction }: FrameInput): Frame {
  const theme = themeOf(brand);
  const override = brand?.override;
  const head = override?.mjml ? '' : (override?.head ?? brand?.head ?? '');
  const styles = makeEmailStyles(`${brand?.key ?? 'plain'} ${direction}`, theme, stylesOf(head), direction);
  const contentWidth = theme.width - 2 * SIDE_PADDING;
  if (override?.mjml) return { styles, contentWidth, ...mjmlFrame(override, theme.width, direction) };
  return { styles, contentWidth, html: standardFrame(brand, styles), unknown: [] };
}

/** The `<style>` elements of a head without variables, whose values are unknown at this point. */
function stylesOf(head: string) {
  return [...head.matchAll(/<style[^>]*>[^<]*<\/style>/gi)]
    .map(([style]) => style)
    .filter((style) => !/\{\{|\{[\w.$]+\}/.test(style))
    .join('');
}

function mjmlFrame(override: FrameOverride, width: number, direction: Direction) {
  const { head = '', header = '', footer = '', backgroundColor, blocksBackgroundColor = '#fefefe' } = override;
  const ground = backgroundColor ? ` background-color="${escapeHtml(backgroundColor)}"` : '';
  const { html, unknown } = compileMjml(
    `<mjml><mj-head><mj-title>${SLOT_TITLE}</mj-title><mj-style>${SMALL_SCREENS}</mj-style>${head}</mj-head><mj-body width="${width}px"${ground}>${header}` +
      `<mj-section background-color="${escapeHtml(blocksBackgroundColor)}" padding="24px 0 8px" direction="${direction}"><mj-column direction="${direction}"><mj-text padding="0 ${SIDE_PADDING}px">${SLOTS.blocks}</mj-text></mj-column></mj-section>` +
      `${footer}</mj-body></mjml>`,
  );
  if (!html.includes(SLOTS.blocks)) {
    throw invalid('The MJML of the brand hides the message: an element in its header is not closed');
  }
  return { html: html.replaceAll(SLOT_TITLE, SLOTS.subject).replace(/(<body[^>]*>)/i, `$1${SLOTS.preheader}`), unknown };
}

/** MJML escapes comments in a title, so the slot is a plain text. */
const SLOT_TITLE = 'tidings-slot-of-the-subject';

/** A brand's footer as plain text, for the text part of a mail. */
export function footerText(brand: BrandParts | null, scope: RenderScope, utm: Utm | undefined): string {
  const linkUrl = addressesFor('email', utm);
  if (!brand || brand.override) return '';
  const html = brand.footer ? compileRichText(brand.footer, BARE, scope.budget)(scope) : '';
  const social = brand.social.map(({ name, url }) => `${name}: ${linkUrl(url)}`).join('\n');
  return [htmlToFormat(html, PLAIN, linkUrl), social].filter(Boolean).join('\n\n');
}

const LOGO_WIDTH = 140;
const BAR_HEIGHT = 6;

/** The document around an e-mail's blocks as a template, with the brand's parts or its override. */
function standardFrame(brand: BrandParts | null, styles: EmailStyles) {
  const { theme, parts } = styles;
  const override = brand?.override;
  const header = override ? (override.header ?? '') : standardHeader(brand, styles);
  const footer = override ? (override.footer ?? '') : standardFooter(brand, styles);
  // Overriding headers and footers have their own paddings.
  const padded = override ? '' : ' c--padded';
  const footerGround = colorOf(override?.footerBackgroundColor);
  const footerRow =
    footer &&
    `<tr><td class="c--email-footer${padded}" style="${override ? '' : parts.footer}${footerGround ? `background-color:${footerGround};` : ''}">\n${footer}\n</td></tr>\n`;
  const isWide = override?.footerFullWidth === true;
  const bar = !override && theme.barColor ? `border-top:${BAR_HEIGHT}px solid ${theme.barColor};` : '';
  return (
    `<!doctype html>\n<html ${SLOTS.language} xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">\n<head>\n` +
    '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width,initial-scale=1">\n' +
    '<meta name="x-apple-disable-message-reformatting">\n<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">\n' +
    '<meta name="color-scheme" content="light">\n<meta name="supported-color-schemes" content="light">\n' +
    `<title>${SLOTS.subject}</title>\n` +
    '<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->\n' +
    `<style>${SMALL_SCREENS}</style>\n${(override ? override.head : brand?.head) ?? ''}\n</head>\n` +
    `<body class="c--email-body" style="${parts.body}">\n${SLOTS.preheader}` +
    `${TABLE} width="100%" bgcolor="${theme.ground}" style="width:100%;background-color:${theme.ground};">\n<tr><td class="c--ground" align="center" style="padding:24px 12px;">\n` +
    `<!--[if mso]>${TABLE} width="${theme.width}"><tr><td><![endif]-->\n` +
    `${TABLE} width="100%" style="width:100%;max-width:${theme.width}px;">\n` +
    (header && `<tr><td class="c--email-header${padded}" style="${override ? '' : parts.header}${bar}">\n${header}\n</td></tr>\n`) +
    `<tr><td class="c--blocks c--padded" bgcolor="${theme.surface}" style="${parts.blocks}${header ? '' : bar}">\n${SLOTS.blocks}</td></tr>\n` +
    (isWide ? '' : footerRow) +
    '</table>\n<!--[if mso]></td></tr></table><![endif]-->\n</td></tr>\n' +
    (isWide ? footerRow : '') +
    '</table>\n</body>\n</html>\n'
  );
}

/** Media rules for phones whose clients support them. */
const SMALL_SCREENS =
  '@media (max-width:480px){.c--padded{padding-left:20px!important;padding-right:20px!important}' +
  '.c--ground{padding:0!important}.c--column{max-width:100%!important}.c--column-cell{padding-left:0!important;padding-right:0!important}}';

function standardHeader(brand: BrandParts | null, { elements }: EmailStyles) {
  if (!brand?.logo) return '';
  const { image, href } = brand.logo;
  const logo = `<img src="${escapeHtml(image)}" width="${LOGO_WIDTH}" alt="${escapeHtml(brand.name)}" style="${elements.img}display:block;width:${LOGO_WIDTH}px;height:auto;font-weight:bold;">`;
  return href ? `<a href="${escapeHtml(href)}" target="_blank">${logo}</a>` : logo;
}

function standardFooter(brand: BrandParts | null, { elements, parts }: EmailStyles) {
  if (!brand) return '';
  const small = { ...elements, p: `${elements.p}margin:0 0 8px;` };
  const text = brand.footer ? markdownToHtml(brand.footer, small).html : '';
  const link = ({ name, url }: BrandParts['social'][number]) =>
    `<a href="${escapeHtml(url)}" target="_blank" style="${elements.a}">${name}</a>`;
  const social = brand.social.map(link).join(' &nbsp;·&nbsp; ');
  return text + (social && `<div class="c--social" style="${parts.social}">${social}</div>`);
}
