import { LruCache } from '../lru-cache';
import type { RenderBudget } from '../render-budget';
import { type CompiledText, compileText } from '../text/template-text';
import { type ElementStyles, markdownToHtml, markdownToHtmlWithoutRaw } from './markdown-html';

/** How the HTML of rich text looks. Compiled texts are kept by `id`, so one id means one styles. */
export interface TextStyles {
  readonly id: string;
  readonly elements: ElementStyles;
}

/** For channels that show no HTML: it is only the form from which theirs is made. */
export const BARE: TextStyles = { id: '', elements: {} };

interface RichTextOptions {
  readonly styles: TextStyles;
  /** Whether HTML tags in the text pass as they are. The values of variables never do. */
  readonly rawHtml: boolean;
  /** Pays for reading the text, where that is the first time. */
  readonly budget?: RenderBudget;
}

const TEXTS_CACHED = 5_000;
const TEXT_CHARS_CACHED = 16_000_000;

const texts = new LruCache<CompiledText>(TEXTS_CACHED, TEXT_CHARS_CACHED);

/**
 * A Markdown text with variables and Handlebars, as HTML. It is parsed once and then only filled in: what a variable holds is
 * shown literally, neither Markdown nor HTML in it means anything. Throws `invalid_request` where it is not Handlebars.
 */
export function compileRichText(source: string, { styles, rawHtml, budget }: RichTextOptions): CompiledText {
  return texts.get(`${rawHtml ? 'r' : 'e'}${styles.id}\n${source}`, () => {
    budget?.spendReading(source.length);
    const { html, valuesInTags } = (rawHtml ? markdownToHtml : markdownToHtmlWithoutRaw)(source, styles.elements);
    return compileText(html, { escape: valuesInTags ? 'attribute' : 'html', budget });
  });
}
