import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { CompileCache, timeCompile } from '../compile-cache';
import type { RenderBudget } from '../render-budget';
import { ANY_MARK_SOURCE, TemplateMarks } from '../rich-text/template-marks';
import { type CompiledText, compileText } from '../text/template-text';
import { tryToCompile, NotCompiled } from '../not-compiled';
import { mjml } from './lazy-packages';

const SOURCE_CHARS_MAX = 200_000;
/**
 * MJML's message for an element that it leaves out. Its other messages (an unexpected attribute or parent) are harmless: the
 * content is shown.
 */
const UNKNOWN = "doesn't exist or is not registered";
const NAME_CHARS_MAX = 100;
/** `{{#each}}` and the like between MJML's own elements, where MJML would drop them. */
const BETWEEN_ELEMENTS = new RegExp(`(>\\s*|^\\s*)((?:${ANY_MARK_SOURCE}\\s*)+)(?=<(?:/?mj-|/?mjml)|$)`, 'gu');
const HOLDERS_OF_TEXT =
  /<mj-(?:text|button|table|raw|title|preview|style|navbar-link|social-element|accordion-title|accordion-text)\b[^>]*>\s*$/;

/** MJML breaks words only in its own texts; long words elsewhere would make a mail wider than a phone. */
const BODY_STYLE = /(<body\b[^>]*\bstyle=")/i;
const BREAKS_LONG_WORDS = 'word-break:break-word;';

const UNKNOWN_MAX = 10;
/** In the unit of `INLINE_COMPILE_MAX`: above it, so that MJML is never compiled on a shared thread. */
export const MJML_COST = 1_000_000;

/** An element unknown to MJML, which leaves it out with its content. */
export interface UnknownElement {
  /** From 1. */
  readonly line: number;
  /** `mj-nothing` */
  readonly name: string;
}

/** Converted MJML: plain data that can move between threads. */
export interface MjmlParts {
  readonly html: string;
  /** `UNKNOWN_MAX` at most. */
  readonly unknown: readonly UnknownElement[];
}

/** Converted MJML or its error, by source; both never change. */
const converted = new CompileCache<MjmlParts | ServiceError>(
  500,
  32_000_000,
  (result, source) => source.length + (result instanceof ServiceError ? 0 : result.html.length),
);

/**
 * MJML as HTML, cached: variables and Handlebars stay in it and are filled in per mail. Includes never read files. Throws
 * `invalid_request` for invalid MJML, `NotCompiled` when the budget does not cover the conversion.
 */
export function compileMjml(source: string, budget?: RenderBudget): MjmlParts {
  const result = converted.getOrMake(source, () => {
    if (budget && !budget.trySpendCompilation(MJML_COST)) throw new NotCompiled({ job: 'mjml', input: source });
    return timeCompile(() => mjmlToHtml(source));
  });
  if (result instanceof ServiceError) throw result;
  return result;
}

/** The warning for an unknown element: `line 3: MJML has no element <mj-nothing>; it is left out with all that is in it`. */
export function sentenceOf({ line, name }: UnknownElement): string {
  return `line ${line}: MJML has no element <${name}>; it is left out with all that is in it`;
}

/** The converted HTML as a compiled text. */
export function textOfMjml(source: string, budget?: RenderBudget): CompiledText {
  return compileText(compileMjml(source, budget).html, 'attribute', budget);
}

/** Caches MJML that another thread converted. */
export function cacheMjml(source: string, parts: MjmlParts): void {
  const result = converted.getOrMake(source, () => parts);
  if (!(result instanceof ServiceError)) tryToCompile((budget) => textOfMjml(source, budget));
}

function mjmlToHtml(source: string) {
  if (source.length > SOURCE_CHARS_MAX) return invalid(`MJML has more than ${SOURCE_CHARS_MAX} characters`);
  const marks = new TemplateMarks();
  const marked = marks
    .mark(source)
    .replace(BETWEEN_ELEMENTS, (whole: string, before: string, parts: string, offset: number, text: string) => {
      const isText = HOLDERS_OF_TEXT.test(text.slice(Math.max(0, offset - 500), offset + before.length));
      return isText ? whole : `${before}<mj-raw>${parts}</mj-raw>`;
    });
  const result = convert(marked);
  if (result instanceof ServiceError) return result;
  const { html, errors } = result;
  const unknown = errors.filter(({ message }) => message?.endsWith(UNKNOWN)).slice(0, UNKNOWN_MAX);
  return {
    html: marks.restore(html.replace(BODY_STYLE, `$1${BREAKS_LONG_WORDS}`)),
    unknown: unknown.map(({ line = 1, tagName = '' }) => ({ line, name: marks.restore(tagName.slice(0, NAME_CHARS_MAX)) })),
  };
}

function convert(source: string) {
  try {
    return mjml()(source, { ignoreIncludes: true, validationLevel: 'soft', keepComments: true, minify: false, beautify: false, fonts: {} });
  } catch (error) {
    return invalid(`The MJML cannot be read: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`);
  }
}
