import { ServiceError } from '@tidings/contracts/core/errors';
import { BudgetSpent, type RenderBudget } from '../render-budget';
import { markdownToHtml } from '../rich-text/markdown-html';
import { BARE, compileRichText } from '../rich-text/rich-text';
import { LITERAL_BRACE, maskedParts } from '../rich-text/template-marks';
import { compileText } from '../text/template-text';

const CODE_END = '</code>';

interface Read {
  readonly isMarkdown: boolean;
  /** Pays for reading what was not read before. */
  readonly budget?: RenderBudget;
}

/**
 * Refuses a text whose `{{…}}` cannot be read, by itself or in the Markdown around it. Braces in code of Markdown are text. Elsewhere
 * an open `{{` would be shown as it stands, which nobody means.
 * @throws ServiceError `invalid_request` that begins with the line: `Template line 3: …`.
 */
export function assertTextParses(source: string, { isMarkdown, budget }: Read): void {
  if (!source.includes('{{')) return;
  const read = (text: string): ServiceError | undefined => problemOf(() => compileText(text, { escape: 'none', budget }));
  const shown = isMarkdown ? problemOf(() => compileRichText(source, { styles: BARE, rawHtml: true, budget })) : undefined;
  if (isMarkdown && !shown && !hasOpenBraces(source)) return;
  // Markdown moves the lines: the source tells its own.
  const problem = read(source) ?? shown;
  if (problem && (shown || !isMarkdown || read(withoutCodeBraces(source, budget)))) throw problem;
}

function problemOf(read: () => unknown): ServiceError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof BudgetSpent) throw error;
    return error;
  }
}

/** Whether some `{{` of Markdown would be text, as no template part begins there. */
function hasOpenBraces(source: string): boolean {
  const masked = maskedParts(source);
  return [...source.matchAll(/\{(?=\{)/g)].some(({ index }) => masked[index] === '{');
}

/** As HTML, whose code has no braces but those of variables. */
function withoutCodeBraces(source: string, budget: RenderBudget | undefined): string {
  budget?.spendReading(source.length);
  const [last = '', ...others] = markdownToHtml(source, {}).html.split(CODE_END).reverse();
  const parts = others.reverse().map((part) => {
    const start = part.indexOf('<code');
    return start < 0 ? part : part.slice(0, start) + part.slice(start).replaceAll(LITERAL_BRACE, '');
  });
  return [...parts, last].join(CODE_END).replaceAll(LITERAL_BRACE, '{');
}
