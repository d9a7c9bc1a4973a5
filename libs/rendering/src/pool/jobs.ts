import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { assertBrandRenders } from '../checks/brand-check';
import { assertContentRenders } from '../checks/content-check';
import { findPoError } from '../translations/po-error';
import { brandParts } from '../email/brand';
import { type Frame, type FrameInput, frameOf, cacheFrame } from '../email/frame';
import { compileMjml } from '../email/mjml';
import { languageOf } from '../elemental/locale';
import { recipientPage } from '../recipient-page';
import { render, type RenderInput } from '../render';
import { RenderBudget } from '../render-budget';
import type { RenderScope } from '../scope';
import { catalogueOfSources } from '../translations/sources';

/** A scope that can move to another thread: catalogues as texts, in order of precedence. */
interface PortableScope extends Omit<RenderScope, 'catalogue' | 'budget' | 'warnings' | 'missing'> {
  readonly catalogues?: readonly string[];
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
    const { catalogues = [], ...values } = scope;
    return render({ scope: { catalogue: catalogueOfSources(catalogues, budget), budget, ...values }, ...input });
  },
  /** Throws when the content cannot be rendered with any data. */
  checkContent: ({ content, name }: { readonly content: ElementalContent; readonly name: string }) => assertContentRenders(content, name),
  /** Throws when the brand cannot be rendered. */
  checkBrand: assertBrandRenders,
  /** The first mistake in a `.po` text. */
  poError: findPoError,
  /** What the pages of a recipient show of a brand, and their translated texts. */
  recipientPage,
  /** For `cacheFrame`, `cacheMjml`: compilations that are too slow for a shared thread. */
  frame: frameOf,
  mjml: compileMjml,
};

/** The jobs of a pool thread, by name. */
export type Jobs = typeof jobs;
export type JobName = keyof Jobs;

/** The frame input of a rendering. */
export function frameInputOf({ brand, locale }: Pick<RenderInput, 'brand' | 'locale'>): FrameInput {
  return { brand: brand ? brandParts(brand) : null, direction: languageOf(locale).direction };
}
