import { ServiceError } from '@tidings/contracts/core/errors';
import { addressesFor } from '../channels/addresses';
import { LruCache } from '../lru-cache';
import type { RenderBudget } from '../render-budget';
import { BARE, compileRichText } from '../rich-text/rich-text';
import { htmlToFormat } from '../rich-text/html-to-format';
import { PLAIN } from '../rich-text/text-format';
import type { RenderScope } from '../scope';
import { escapeHtml } from '../text/escaping';
import { type CompiledText, compileText } from '../text/template-text';
import type { Utm } from '../urls';
import type { BrandParts } from './brand';
import { SLOTS } from './frame-slots';
import { type EmailLook, makeLook } from './look';
import { mjmlToHtml } from './mjml';
import { SMALL_SCREENS, standardFrame } from './standard-frame';
import { themeOf } from './stylesheet';

/** What stands around an e-mail's blocks, made once per brand. */
export interface Frame {
  readonly look: EmailLook;
  readonly document: CompiledText;
  /** Pixels between the paddings of the column. */
  readonly contentWidth: number;
}

const SIDE_PADDING = 32;
const FRAMES_KEPT = 500;
/** How much longer a character of MJML takes than one of a text. */
const MJML_WEIGHT = 10;

const frames = new LruCache<Frame>(FRAMES_KEPT, 1_000_000);

/** The frame of a brand, or the plain one. */
export function frameOf(brand: BrandParts | null, budget?: RenderBudget): Frame {
  return frames.get(brand?.key ?? '', () => {
    // Reading MJML takes long: what is large does not fit where renderings are kept short.
    if (brand?.override?.mjml) budget?.spendChars(MJML_WEIGHT * JSON.stringify(brand.override).length);
    return makeFrame(brand);
  });
}

function makeFrame(brand: BrandParts | null): Frame {
  const theme = themeOf(brand);
  const override = brand?.override;
  const head = override?.mjml ? '' : (override?.head ?? brand?.head ?? '');
  const look = makeLook(brand?.key ?? 'plain', theme, stylesOf(head));
  const html = override?.mjml ? mjmlFrame(brand as BrandParts, theme.width) : standardFrame(brand, look);
  return { look, document: compileText(html, { escape: 'attribute' }), contentWidth: theme.width - 2 * SIDE_PADDING };
}

/** The `<style>` elements of a head, without those that hold variables: what they say is not known yet. */
function stylesOf(head: string): string {
  return [...head.matchAll(/<style[^>]*>[^<]*<\/style>/gi)]
    .map(([style]) => style)
    .filter((style) => !/\{\{|\{[\w.$]+\}/.test(style))
    .join('');
}

function mjmlFrame({ override }: BrandParts, width: number): string {
  const { head = '', header = '', footer = '', backgroundColor, blocksBackgroundColor = '#fefefe' } = override ?? {};
  const ground = backgroundColor ? ` background-color="${escapeHtml(backgroundColor)}"` : '';
  const html = mjmlToHtml(
    `<mjml><mj-head><mj-title>${SLOT_TITLE}</mj-title><mj-style>${SMALL_SCREENS}</mj-style>${head}</mj-head><mj-body width="${width}px"${ground}>${header}` +
      `<mj-section background-color="${escapeHtml(blocksBackgroundColor)}" padding="24px 0 8px"><mj-column><mj-text padding="0 ${SIDE_PADDING}px">${SLOTS.blocks}</mj-text></mj-column></mj-section>` +
      `${footer}</mj-body></mjml>`,
  );
  if (!html.includes(SLOTS.blocks)) {
    throw new ServiceError(
      'invalid_request',
      'The MJML of the brand leaves no place for the message: an element in its header is not closed',
    );
  }
  return html.replaceAll(SLOT_TITLE, SLOTS.subject).replace(/(<body[^>]*>)/i, `$1${SLOTS.preheader}`);
}

/** MJML takes a title for text, in which a comment would be none. */
const SLOT_TITLE = 'tidings-slot-of-the-subject';

/** A brand's footer as plain text, for the text part of a mail. */
export function footerText(brand: BrandParts | null, scope: RenderScope, utm: Utm | undefined): string {
  const linkUrl = addressesFor('email', utm);
  if (!brand || brand.override) return '';
  const parts: string[] = [];
  if (brand.footer) {
    const html = compileRichText(brand.footer, { look: BARE, rawHtml: true }).render(scope);
    parts.push(htmlToFormat(html, PLAIN, linkUrl));
  }
  if (brand.social.length > 0) parts.push(brand.social.map(({ name, url }) => `${name}: ${linkUrl(url)}`).join('\n'));
  return parts.filter(Boolean).join('\n\n');
}
