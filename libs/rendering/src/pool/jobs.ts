import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { assertBrandRenders, type CheckedBrand } from '../checks/brand-check';
import { assertContentRenders } from '../checks/content-check';
import { findPoError } from '../translations/po-error';
import { brandParts } from '../email/brand';
import { type Frame, type FrameInput, frameOf, cacheFrame } from '../email/frame';
import { compileMjml } from '../email/mjml';
import { languageOf } from '../elemental/locale';
import { render, type RenderInput } from '../render';
import { RenderBudget } from '../render-budget';
import type { RenderScope } from '../scope';
import type { Escaping } from '../text/escaping';
import { compileText } from '../text/template-text';
import { catalogueOfSources } from '../translations/sources';

/** A scope that can move to another thread: catalogues as texts, in order of precedence. */
interface PortableScope extends Omit<RenderScope, 'catalogue' | 'budget' | 'warnings'> {
  readonly catalogues?: readonly string[];
}

/** Texts of one message, rendered under one budget. */
export interface TextsInput {
  readonly texts: readonly { readonly source: string; readonly escape: Escaping }[];
  readonly scope: PortableScope;
}

/** A whole rendering of content for one channel. */
export interface PortableRenderInput extends Omit<RenderInput, 'scope'> {
  readonly scope: PortableScope;
  /** The brand's compiled frame, if cached by the caller. */
  readonly frame?: Frame;
}

/** Jobs of the pool: plain data in, plain data out, identical on any thread. */
export const jobs = {
  render({ scope, frame, ...input }: PortableRenderInput, budget = new RenderBudget()) {
    if (frame) cacheFrame(frameInputOf(input), frame);
    return render({ scope: wholeScope(scope, budget), ...input });
  },
  texts({ texts, scope }: TextsInput, budget = new RenderBudget()) {
    const warnings: string[] = [];
    const whole = { ...wholeScope(scope, budget), warnings };
    return { texts: texts.map(({ source, escape }) => compileText(source, { escape }).render(whole)), warnings };
  },
  /** Throws when the content cannot be rendered with any data. */
  checkContent: ({ content, name }: { readonly content: ElementalContent; readonly name: string }) => assertContentRenders(content, name),
  /** Throws when the brand cannot be rendered. */
  checkBrand: (brand: CheckedBrand) => assertBrandRenders(brand),
  /** The first mistake in a `.po` text. */
  poError: ({ text }: { readonly text: string }) => findPoError(text),
  /** For `cacheFrame`, `cacheMjml`: compilations that are too slow for a shared thread. */
  frame: (input: FrameInput) => frameOf(input),
  mjml: ({ source }: { readonly source: string }) => compileMjml(source),
};

/** The jobs of a pool thread, by name. */
export type Jobs = typeof jobs;
export type JobName = keyof Jobs;

/** The full scope of a portable one. */
function wholeScope({ catalogues = [], ...scope }: PortableScope, budget: RenderBudget) {
  return { catalogue: catalogueOfSources(catalogues, budget), budget, ...scope };
}

/** The frame input of a rendering. */
export function frameInputOf({ brand, locale }: Pick<RenderInput, 'brand' | 'locale'>): FrameInput {
  return { brand: brand ? brandParts(brand) : null, direction: languageOf(locale).direction };
}
