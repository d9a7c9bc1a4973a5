import type { EmailOutput } from '@tidings/contracts/messaging/channel-outputs';
import { blocksToText } from '../channels/blocks-text';
import type { CompiledNode } from '../elemental/compile';
import { Fields } from '../elemental/fields';
import { cssOf } from '../elemental/inline';
import type { Language } from '../elemental/locale';
import type { ResolvedContent } from '../elemental/resolve';
import { PLAIN } from '../rich-text/text-format';
import type { RenderScope } from '../scope';
import { escapeHtml } from '../text/escaping';
import { addressesFor, type Utm } from '../urls';
import { secureAddresses } from './address-pass';
import { blocksToHtml } from './blocks-html';
import type { BrandParts } from './brand';
import { documentOf, footerText, type Frame, SLOTS } from './frame';

interface EmailOptions {
  readonly frame: Frame;
  readonly brand: BrandParts | null;
  readonly language: Language;
  readonly utm: Utm | undefined;
  /** The chosen `channel` element; its sizes apply to all blocks. */
  readonly element?: CompiledNode;
}

/** Assembles an e-mail: the HTML document and its plain text. */
export function assembleEmail(
  { title: subject, preheader, blocks }: ResolvedContent,
  scope: RenderScope,
  { frame, brand, language, utm, element }: EmailOptions,
): EmailOutput {
  const body = blocksToHtml(blocks, {
    styles: frame.styles,
    direction: language.direction,
    width: frame.contentWidth,
    css: channelCss(element, scope),
  });
  const document = documentOf(
    frame,
    scope.budget,
  )(scope)
    .replaceAll(SLOTS.language, () => `lang="${escapeHtml(language.tag)}" dir="${language.direction}"`)
    .replaceAll(SLOTS.subject, () => escapeHtml(subject))
    .replace(SLOTS.preheader, () => hidden(preheader))
    .replace(SLOTS.blocks, () => body);
  const text = blocksToText(blocks, PLAIN, addressesFor('email', utm));
  const footer = footerText(brand, scope, utm);
  const parts = [text, footer && `-- \n${footer}`].filter(Boolean);
  return { subject, html: secureAddresses(document, utm), text: parts.length > 0 ? `${parts.join('\n\n')}\n` : '' };
}

const PREHEADER_CHARS_MAX = 200;
/** Prevents clients from showing the body after a short preheader. */
const FILLER = '&#847;&zwnj;&nbsp;'.repeat(40);

function hidden(preheader: string) {
  if (!preheader) return '';
  const text = escapeHtml(preheader.slice(0, PREHEADER_CHARS_MAX).toWellFormed());
  return `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all;font-size:1px;line-height:1px;color:#f4f4f5;">${text}${FILLER}</div>\n`;
}

/** CSS for all texts in a `channel` element with sizes. */
function channelCss(element: CompiledNode | undefined, scope: RenderScope) {
  if (!element) return '';
  const fields = new Fields(element, scope);
  return cssOf({ 'font-size': fields.size('font_size'), 'line-height': fields.size('line_height', '') });
}
