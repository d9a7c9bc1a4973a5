import { CompileCache } from '../compile-cache';
import type { RenderBudget } from '../render-budget';
import { type CompiledText, compileText } from '../text/template-text';
import { type ElementStyles, markdownToHtml } from './markdown-html';

/** Inline styles of rich text. The cache key of compiled texts contains `id`, so one id must mean one set of styles. */
export interface TextStyles {
  readonly id: string;
  readonly elements: ElementStyles;
}

/** For channels that show no HTML: it is only the form from which theirs is made. */
export const BARE: TextStyles = { id: '', elements: {} };

const texts = new CompileCache<CompiledText>(5_000, 16_000_000);

/**
 * A Markdown text with variables and Handlebars, as HTML. It is parsed once and then only filled in: values are
 * shown literally, neither Markdown nor HTML in it means anything. Throws `invalid_request` where it is not Handlebars.
 * @param budget pays for the first compilation of the text.
 */
export function compileRichText(source: string, styles: TextStyles, budget?: RenderBudget): CompiledText {
  return texts.getOrMake(`${styles.id}\n${source}`, () => {
    budget?.spendCompilation(source.length);
    const { html, valuesInTags } = markdownToHtml(source, styles.elements);
    return compileText(html, valuesInTags ? 'attribute' : 'html', budget);
  });
}
