import type { BrandSettings, BrandSnippet, BrandSnippets } from '@tidings/contracts/content/brand-settings';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid } from '@tidings/contracts/core/refusals';
import { brandParts, type BrandParts } from '../email/brand';
import { documentOf, frameOf } from '../email/frame';
import { sentenceOf, type UnknownElement } from '../email/mjml';
import { snippetEnds } from '../text/endless-partials';
import { compileText } from '../text/template-text';
import { compileCost, lineAt } from '../text/template-bounds';
import { withPath } from '../with-path';
import { assertMarkdownClosed } from './content-check';
import { assertNothingLeftOpen } from './left-open';
import { assertTextParses } from './text-check';

/** A brand as a client writes it. */
export interface CheckedBrand {
  readonly name: string;
  readonly settings?: BrandSettings | null;
  readonly snippets?: BrandSnippets | null;
}

/** MJML and CSS are much slower to compile than texts of their length, and their packages take a third of a second to load. */
const FRAME_COST = 1_000_000;

/**
 * Refuses a brand with which no e-mail can be rendered, and a snippet that is invalid Handlebars or always calls itself.
 * @throws ServiceError `invalid_request` or `payload_too_large` that starts with the path: `snippets.items[2].value: Template line 3: …`.
 */
export function assertBrandRenders(brand: CheckedBrand): void {
  const { name, settings, snippets } = brand;
  assertSnippets(snippets?.items ?? []);
  const parts = brandParts({ id: '', name, settings: settings ?? {} });
  const { override, footer } = parts;
  const texts = htmlOf(parts);
  for (const [path, html = ''] of texts) withPath(path, () => assertNothingLeftOpen(html));
  if (!override && footer !== undefined) withPath(FOOTER_PATH, () => assertMarkdownClosed(footer));
  if (!mayBreakFrames(brand)) return;
  let unknown: UnknownElement | undefined;
  try {
    const frame = frameOf({ brand: parts, direction: 'ltr' });
    documentOf(frame);
    unknown = frame.unknown[0];
  } catch (error) {
    // The error of a part that fails on its own has its path; parts may close blocks of others.
    for (const [path, text = ''] of override ? texts : [...texts, ...textsOf(parts)]) {
      withPath(path, () => compileText(text, 'attribute'));
    }
    withPath('settings.email', () => {
      throw error;
    });
  }
  if (unknown) throw unknownIn(texts, unknown);
  if (footer !== undefined) withPath(FOOTER_PATH, () => assertTextParses(footer, true));
}

function assertSnippets(items: readonly BrandSnippet[]) {
  const pathOf = (index: number) => `snippets.items[${index}].value`;
  items.forEach(({ value }, index) => withPath(pathOf(index), () => compileText(value, 'none')));
  const assertEnds = snippetEnds(new Map(items.map(({ name, value }) => [name, value])));
  // Of two snippets with one name the last is used.
  for (const [name, index] of new Map(items.map((item, at) => [item.name, at]))) withPath(pathOf(index), () => assertEnds(name));
}

/** Cost of this check, in the unit of `compileCost`. */
export function brandCheckCost(brand: CheckedBrand): number {
  const { snippets, settings } = brand;
  const footer: unknown = settings?.email?.footer;
  return compileCost(JSON.stringify(snippets ?? {})) + (JSON.stringify(footer)?.length ?? 0) + (mayBreakFrames(brand) ? FRAME_COST : 0);
}

/** Whether compiling the frame can fail: only with Handlebars, styles or MJML. */
function mayBreakFrames({ name, settings }: CheckedBrand) {
  const email: unknown = settings?.email;
  return isJsonObject(email) && /\{\{|<style|"mjml"/i.test(JSON.stringify([name, email]));
}

/** The frame is one MJML source; the error names the part and the line in it. */
function unknownIn(texts: Texts, { line, name }: UnknownElement) {
  const tag = `<${name}`;
  for (const [path, text = ''] of texts) {
    for (let at = text.indexOf(tag); at >= 0; at = text.indexOf(tag, at + 1)) {
      if (!/[\s/>]/.test(text.charAt(at + tag.length))) continue;
      return invalid(`${path}: ${sentenceOf({ line: lineAt(text, at), name })}`);
    }
  }
  return invalid(`settings.email: ${sentenceOf({ line, name })}`);
}

const FOOTER_PATH = 'settings.email.footer';
type Texts = readonly (readonly [path: string, text: string | undefined])[];

/** HTML or MJML of the frame. Later parts may close its elements, but not its comments and tags. */
function htmlOf({ head, override }: BrandParts): Texts {
  if (!override) return [['settings.email.head.content', head]];
  const path = `settings.email.templateOverride.${override.mjml ? 'mjml.' : ''}`;
  return (['head', 'header', 'footer'] as const).map((part) => [path + part, override[part]]);
}

/** The other texts of a standard frame. */
function textsOf({ logo, footer, name }: BrandParts): Texts {
  return [
    ['settings.email.header.logo.image', logo?.image],
    ['settings.email.header.logo.href', logo?.href],
    [FOOTER_PATH, footer],
    ['name', name],
  ];
}
