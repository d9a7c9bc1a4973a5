import { type Rendered, render, type RenderInput } from '../render';
import { RenderBudget } from '../render-budget';
import type { RenderScope } from '../scope';
import type { Escaping } from '../text/escaping';
import { compileText } from '../text/template-text';
import { catalogueOfSources } from '../translations/sources';

/** A scope that can travel to another thread: catalogues as texts, in the order in which they are asked. */
export interface PortableScope extends Omit<RenderScope, 'catalogue' | 'budget' | 'warnings'> {
  readonly catalogues?: readonly string[];
}

export interface RenderedTexts {
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
}

/** Everything the pool can be asked to do: plain data in, plain data out, the same on any thread. */
export const jobs = {
  render({ scope, ...input }: PortableRenderInput, budget = new RenderBudget()): Rendered | undefined {
    return render({ ...input, scope: wholeScope(scope, budget).whole });
  },
  texts({ texts, scope }: TextsInput, budget = new RenderBudget()): RenderedTexts {
    const { whole, warnings } = wholeScope(scope, budget);
    return { texts: texts.map(({ source, escape }) => compileText(source, { escape }).render(whole)), warnings };
  },
};

export type Jobs = typeof jobs;
export type JobName = keyof Jobs;

/** The scope a portable one stands for. */
export function wholeScope({ catalogues = [], ...scope }: PortableScope, budget: RenderBudget): { whole: RenderScope; warnings: string[] } {
  const warnings: string[] = [];
  return { whole: { ...scope, catalogue: catalogueOfSources(catalogues), budget, warnings }, warnings };
}
