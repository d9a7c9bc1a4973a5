import { ServiceError } from '@tidings/contracts/core/errors';
import { CompileCache } from '../compile-cache';
import type { Direction } from '../elemental/locale';
import { timeCompile } from '../time-compile';
import { INLINE_COMPILE_MAX, type RenderBudget } from '../render-budget';
import { BARE, compileRichText } from '../rich-text/rich-text';
import { htmlToFormat } from '../rich-text/html-to-format';
import { PLAIN } from '../rich-text/text-format';
import type { RenderScope } from '../scope';
import { escapeHtml } from '../text/escaping';
import { type CompiledText, compileText } from '../text/template-text';
import { tryToCompile, NotCompiled } from '../not-compiled';
import { addressesFor, type Utm } from '../urls';
import type { BrandParts } from './brand';
import { SLOTS } from './frame-slots';
import { type EmailStyles, makeEmailStyles } from './email-styles';
import { MJML_COST, type MjmlParts, readMjml, type UnknownElement } from './mjml';
import { SMALL_SCREENS, standardFrame } from './standard-frame';
import { themeOf } from './stylesheet';

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
const FRAMES_CACHED = 500;
const FRAME_CHARS_CACHED = 64_000_000;
/** Cost of the styles, and of each character of the brand's `<head>`, in the unit of `INLINE_COMPILE_MAX`. */
const STYLES_COST = 5_000;
const HEAD_CHAR_COST = 7;
const frames = new CompileCache<Frame>(FRAMES_CACHED, FRAME_CHARS_CACHED, ({ html }, key) => key.length + html.length);
/** Cache key of a frame. */
export const nameOfFrame = ({ brand, direction }: FrameInput): string => `${direction} ${brand?.key ?? ''}`;

/** The frame of a brand, or the plain one. Throws `NotCompiled` when the budget does not cover its compilation. */
export function frameOf(input: FrameInput, budget?: RenderBudget): Frame {
  return frames.getOrMake(nameOfFrame(input), () => {
    if (budget && !budget.mayRead(costOf(input))) throw new NotCompiled({ job: 'frame', input });
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
  return compileText(html, { escape: 'attribute', budget });
}

function costOf({ brand }: FrameInput): number {
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
  if (override?.mjml) return { styles, contentWidth, ...mjmlFrame(brand as BrandParts, { width: theme.width, direction }) };
  return { styles, contentWidth, html: standardFrame(brand, styles), unknown: [] };
}

/** The `<style>` elements of a head without variables, whose values are unknown at this point. */
function stylesOf(head: string): string {
  return [...head.matchAll(/<style[^>]*>[^<]*<\/style>/gi)]
    .map(([style]) => style)
    .filter((style) => !/\{\{|\{[\w.$]+\}/.test(style))
    .join('');
}

function mjmlFrame({ override }: BrandParts, { width, direction }: { width: number; direction: Direction }): MjmlParts {
  const { head = '', header = '', footer = '', backgroundColor, blocksBackgroundColor = '#fefefe' } = override ?? {};
  const ground = backgroundColor ? ` background-color="${escapeHtml(backgroundColor)}"` : '';
  const { html, unknown } = readMjml(
    `<mjml><mj-head><mj-title>${SLOT_TITLE}</mj-title><mj-style>${SMALL_SCREENS}</mj-style>${head}</mj-head><mj-body width="${width}px"${ground}>${header}` +
      `<mj-section background-color="${escapeHtml(blocksBackgroundColor)}" padding="24px 0 8px" direction="${direction}"><mj-column direction="${direction}"><mj-text padding="0 ${SIDE_PADDING}px">${SLOTS.blocks}</mj-text></mj-column></mj-section>` +
      `${footer}</mj-body></mjml>`,
  );
  if (!html.includes(SLOTS.blocks)) {
    throw new ServiceError('invalid_request', 'The MJML of the brand hides the message: an element in its header is not closed');
  }
  return { html: html.replaceAll(SLOT_TITLE, SLOTS.subject).replace(/(<body[^>]*>)/i, `$1${SLOTS.preheader}`), unknown };
}

/** MJML escapes comments in a title, so the slot is a plain text. */
const SLOT_TITLE = 'tidings-slot-of-the-subject';

/** A brand's footer as plain text, for the text part of a mail. */
export function footerText(brand: BrandParts | null, scope: RenderScope, utm: Utm | undefined): string {
  const linkUrl = addressesFor('email', utm);
  if (!brand || brand.override) return '';
  const parts: string[] = [];
  if (brand.footer) {
    const html = compileRichText(brand.footer, { styles: BARE, budget: scope.budget }).render(scope);
    parts.push(htmlToFormat(html, PLAIN, linkUrl));
  }
  if (brand.social.length > 0) parts.push(brand.social.map(({ name, url }) => `${name}: ${linkUrl(url)}`).join('\n'));
  return parts.filter(Boolean).join('\n\n');
}
