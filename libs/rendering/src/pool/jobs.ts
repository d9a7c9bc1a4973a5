import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { assertBrandRenders, type CheckedBrand } from '../checks/brand-check';
import { assertContentRenders } from '../checks/content-check';
import { findPoError, type PoError } from '../translations/po-error';
import { brandParts } from '../email/brand';
import { type FrameInput, frameOf, type FrameParts, cacheFrame, partsOf } from '../email/frame';
import { type MjmlParts, readMjml } from '../email/mjml';
import { directionOf } from '../elemental/locale';
import { type Rendered, render, type RenderInput } from '../render';
import { RenderBudget } from '../render-budget';
import type { RenderScope } from '../scope';
import type { Escaping } from '../text/escaping';
import { compileText } from '../text/template-text';
import { catalogueOfSources } from '../translations/sources';

/** A scope that can travel to another thread: catalogues as texts, in the order in which they are asked. */
interface PortableScope extends Omit<RenderScope, 'catalogue' | 'budget' | 'warnings'> {
  readonly catalogues?: readonly string[];
}

interface RenderedTexts {
  readonly texts: readonly string[];
  readonly warnings: readonly string[];
}

/** Texts of one message, rendered under one budget. */
export interface TextsInput {
  readonly texts: readonly { readonly source: string; readonly escape: Escaping }[];
  readonly scope: PortableScope;
}

/** A whole rendering of content for one channel. */
export interface PortableRenderInput extends Omit<RenderInput, 'scope'> {
  readonly scope: PortableScope;
  /** The brand's frame where it is known: it need not be made again. */
  readonly frame?: FrameParts;
}

/** Everything the pool can be asked to do: plain data in, plain data out, the same on any thread. */
export const jobs = {
  render({ scope, frame, ...input }: PortableRenderInput, budget = new RenderBudget()): Rendered | undefined {
    if (frame) cacheFrame(frameInputOf(input), frame);
    return render({ ...input, scope: wholeScope(scope, budget).whole });
  },
  texts({ texts, scope }: TextsInput, budget = new RenderBudget()): RenderedTexts {
    const { whole, warnings } = wholeScope(scope, budget);
    return { texts: texts.map(({ source, escape }) => compileText(source, { escape }).render(whole)), warnings };
  },
  /** Throws where the content could never be rendered. */
  checkContent({ content, name }: { readonly content: ElementalContent; readonly name: string }): void {
    assertContentRenders(content, name);
  },
  /** Throws where the brand could never be rendered. */
  checkBrand(brand: CheckedBrand): void {
    assertBrandRenders(brand);
  },
  /** The first mistake in a `.po` text. */
  poError({ text }: { readonly text: string }): PoError | undefined {
    return findPoError(text);
  },
  /** For `cacheFrame`, `cacheMjml`: what takes too long to read where others wait. */
  frame: (input: FrameInput): FrameParts => partsOf(frameOf(input)),
  mjml: ({ source }: { readonly source: string }): MjmlParts => readMjml(source),
};

export type Jobs = typeof jobs;
export type JobName = keyof Jobs;

/** The scope a portable one stands for. */
function wholeScope({ catalogues = [], ...scope }: PortableScope, budget: RenderBudget): { whole: RenderScope; warnings: string[] } {
  const warnings: string[] = [];
  return { whole: { ...scope, catalogue: catalogueOfSources(catalogues, budget), budget, warnings }, warnings };
}

/** The frame that a rendering is given. */
export function frameInputOf({ brand, locale }: Pick<RenderInput, 'brand' | 'locale'>): FrameInput {
  return { brand: brand ? brandParts(brand) : null, direction: directionOf(locale) };
}
