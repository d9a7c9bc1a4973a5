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

interface RichTextOptions {
  readonly styles: TextStyles;
  /** Pays for reading the text, where that is the first time. */
  readonly budget?: RenderBudget;
}

const TEXTS_CACHED = 5_000;
const TEXT_CHARS_CACHED = 16_000_000;

const texts = new CompileCache<CompiledText>(TEXTS_CACHED, TEXT_CHARS_CACHED);

/**
 * A Markdown text with variables and Handlebars, as HTML. It is parsed once and then only filled in: values are
 * shown literally, neither Markdown nor HTML in it means anything. Throws `invalid_request` where it is not Handlebars.
 */
export function compileRichText(source: string, { styles, budget }: RichTextOptions): CompiledText {
  return texts.getOrMake(`${styles.id}\n${source}`, () => {
    budget?.spendReading(source.length);
    const { html, valuesInTags } = markdownToHtml(source, styles.elements);
    return compileText(html, { escape: valuesInTags ? 'attribute' : 'html', budget });
  });
}
