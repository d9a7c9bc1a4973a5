import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { assertBrandRenders, type CheckedBrand } from '../checks/brand-check';
import { assertContentRenders } from '../checks/content-check';
import { findPoError, type PoError } from '../translations/po-error';
import { brandParts } from '../email/brand';
import { type Frame, type FrameInput, frameOf, cacheFrame } from '../email/frame';
import { type MjmlParts, readMjml } from '../email/mjml';
import { directionOf } from '../elemental/locale';
import { type Rendered, render, type RenderInput } from '../render';
import { RenderBudget } from '../render-budget';
import type { RenderScope } from '../scope';
import type { Escaping } from '../text/escaping';
import { compileText } from '../text/template-text';
import { catalogueOfSources } from '../translations/sources';

/** A scope that can move to another thread: catalogues as texts, in order of precedence. */
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
  /** The brand's compiled frame, if cached by the caller. */
  readonly frame?: Frame;
}

/** Jobs of the pool: plain data in, plain data out, identical on any thread. */
export const jobs = {
  render({ scope, frame, ...input }: PortableRenderInput, budget = new RenderBudget()): Rendered | undefined {
    if (frame) cacheFrame(frameInputOf(input), frame);
    return render({ ...input, scope: wholeScope(scope, budget).whole });
  },
  texts({ texts, scope }: TextsInput, budget = new RenderBudget()): RenderedTexts {
    const { whole, warnings } = wholeScope(scope, budget);
    return { texts: texts.map(({ source, escape }) => compileText(source, { escape }).render(whole)), warnings };
  },
  /** Throws when the content cannot be rendered with any data. */
  checkContent({ content, name }: { readonly content: ElementalContent; readonly name: string }): void {
    assertContentRenders(content, name);
  },
  /** Throws when the brand cannot be rendered. */
  checkBrand(brand: CheckedBrand): void {
    assertBrandRenders(brand);
  },
  /** The first mistake in a `.po` text. */
  poError({ text }: { readonly text: string }): PoError | undefined {
    return findPoError(text);
  },
  /** For `cacheFrame`, `cacheMjml`: compilations that are too slow for a shared thread. */
  frame: (input: FrameInput): Frame => frameOf(input),
  mjml: ({ source }: { readonly source: string }): MjmlParts => readMjml(source),
};

export type Jobs = typeof jobs;
export type JobName = keyof Jobs;

/** The full scope of a portable one. */
function wholeScope({ catalogues = [], ...scope }: PortableScope, budget: RenderBudget): { whole: RenderScope; warnings: string[] } {
  const warnings: string[] = [];
  return { whole: { ...scope, catalogue: catalogueOfSources(catalogues, budget), budget, warnings }, warnings };
}

/** The frame input of a rendering. */
export function frameInputOf({ brand, locale }: Pick<RenderInput, 'brand' | 'locale'>): FrameInput {
  return { brand: brand ? brandParts(brand) : null, direction: directionOf(locale) };
}
