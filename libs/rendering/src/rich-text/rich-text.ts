import { LruCache } from '../lru-cache';
import type { RenderBudget } from '../render-budget';
import { type CompiledText, compileText } from '../text/template-text';
import { type ElementStyles, markdownToHtml, markdownToHtmlWithoutRaw } from './markdown-html';

/** How the HTML of rich text looks. Compiled texts are kept by `id`, so one id means one look. */
export interface Look {
  readonly id: string;
  readonly elements: ElementStyles;
}

/** For channels that show no HTML: it is only the form from which theirs is made. */
export const BARE: Look = { id: '', elements: {} };

interface RichTextOptions {
  readonly look: Look;
  /** Whether HTML tags in the text pass as they are. The values of variables never do. */
  readonly rawHtml: boolean;
  /** Pays for reading the text, where that is the first time. */
  readonly budget?: RenderBudget;
}

const TEXTS_KEPT = 5_000;
const TEXT_CHARS_KEPT = 16_000_000;

const texts = new LruCache<CompiledText>(TEXTS_KEPT, TEXT_CHARS_KEPT);

/**
 * A Markdown text with variables and Handlebars, as HTML. It is parsed once and then only filled in: what a variable holds is
 * shown literally, neither Markdown nor HTML in it means anything. Throws `invalid_request` where it is not Handlebars.
 */
export function compileRichText(source: string, { look, rawHtml, budget }: RichTextOptions): CompiledText {
  return texts.get(`${rawHtml ? 'r' : 'e'}${look.id}\n${source}`, () => {
    budget?.spendReading(source.length);
    const { html, valuesInTags } = (rawHtml ? markdownToHtml : markdownToHtmlWithoutRaw)(source, look.elements);
    return compileText(html, { escape: valuesInTags ? 'attribute' : 'html', budget });
  });
}
