import type { BrandSettings, BrandSnippets } from '@tidings/contracts/content/brand-settings';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid } from '@tidings/contracts/core/refusals';
import type { ServiceError } from '@tidings/contracts/core/errors';
import { brandParts, type BrandParts, type FrameOverride } from '../email/brand';
import { documentOf, frameOf } from '../email/frame';
import { sentenceOf, type UnknownElement } from '../email/mjml';
import { BARE, compileRichText } from '../rich-text/rich-text';
import { compileText } from '../text/template-text';
import { readingCost } from '../text/template-bounds';
import { readable } from './content-check';

/** A brand as it is put. */
export interface CheckedBrand {
  readonly name: string;
  readonly settings?: BrandSettings | null;
  readonly snippets?: BrandSnippets | null;
}

/** MJML and CSS take much longer to read than texts of their length, and their packages a third of a second to load. */
const FRAME_COST = 1_000_000;

/**
 * Refuses a brand that no e-mail could be rendered in, or a snippet that is no Handlebars.
 * @throws ServiceError `invalid_request` or `payload_too_large` that begins with the path: `snippets.items[2].value: Template line 3: …`.
 */
export function assertBrandRenders(brand: CheckedBrand): void {
  const { name, settings, snippets } = brand;
  snippets?.items?.forEach(({ value }, index) => readable(`snippets.items[${index}].value`, () => compileText(value, { escape: 'none' })));
  if (!mayBreakFrames(brand)) return;
  const parts = brandParts({ id: '', name, settings: settings ?? {} });
  let unknown: UnknownElement | undefined;
  try {
    const frame = frameOf({ brand: parts, direction: 'ltr' });
    documentOf(frame);
    unknown = frame.unknown[0];
  } catch (error) {
    assertParts(parts);
    readable('settings.email', () => {
      throw error;
    });
  }
  if (unknown) throw unknownIn(parts.override, unknown);
  const { footer } = parts;
  if (footer !== undefined) readable('settings.email.footer', () => compileRichText(footer, { look: BARE, rawHtml: true }));
}

/** What this check costs, as `readingCost` counts. */
export function brandCheckCost(brand: CheckedBrand): number {
  return readingCost(JSON.stringify(brand.snippets ?? {})) + (mayBreakFrames(brand) ? FRAME_COST : 0);
}

/** Texts without Handlebars, styles and MJML are always a frame. */
function mayBreakFrames({ name, settings }: CheckedBrand): boolean {
  const email: unknown = settings?.email;
  return isJsonObject(email) && /\{\{|<style|"mjml"/i.test(JSON.stringify([name, email]));
}

/** The frame is one text to MJML; its author is told of the line of the part that it is in. */
function unknownIn(override: FrameOverride | undefined, { line, name }: UnknownElement): ServiceError {
  for (const part of ['head', 'header', 'footer'] as const) {
    const text = override?.[part] ?? '';
    const tag = `<${name}`;
    for (let at = text.indexOf(tag); at >= 0; at = text.indexOf(tag, at + 1)) {
      if (!/[\s/>]/.test(text.charAt(at + tag.length))) continue;
      const own = { line: text.slice(0, at).split('\n').length, name };
      return invalid(`settings.email.templateOverride.mjml.${part}: ${sentenceOf(own)}`);
    }
  }
  return invalid(`settings.email: ${sentenceOf({ line, name })}`);
}

/** Names the part that is to blame, where it is one alone: what one opens another may close. */
function assertParts({ head, footer, override, logo, name }: BrandParts): void {
  const own = 'settings.email.';
  const overriding = `${own}templateOverride.${override?.mjml ? 'mjml.' : ''}`;
  const texts: [path: string, text: string | undefined][] = override
    ? [
        [`${overriding}head`, override.head],
        [`${overriding}header`, override.header],
        [`${overriding}footer`, override.footer],
      ]
    : [
        [`${own}head.content`, head],
        [`${own}header.logo.image`, logo?.image],
        [`${own}header.logo.href`, logo?.href],
        [`${own}footer`, footer],
        ['name', name],
      ];
  for (const [path, text] of texts) if (text !== undefined) readable(path, () => compileText(text, { escape: 'attribute' }));
}
