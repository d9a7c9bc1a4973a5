import { ServiceError } from '@tidings/contracts/core/errors';
import { BudgetSpent, type RenderBudget } from '../render-budget';
import { markdownToHtml } from '../rich-text/markdown-html';
import { BARE, compileRichText } from '../rich-text/rich-text';
import { LITERAL_BRACE, maskedParts } from '../rich-text/template-marks';
import { compileText } from '../text/template-text';

const CODE_END = '</code>';

/**
 * Refuses a text whose `{{…}}` do not parse, by itself or in the Markdown around it. Braces in Markdown code are text. Elsewhere an
 * unclosed `{{` would be shown literally and is refused.
 * @param budget pays for first compilations.
 * @throws ServiceError `invalid_request` that starts with the line: `Template line 3: …`.
 */
export function assertTextParses(source: string, isMarkdown: boolean, budget?: RenderBudget): void {
  if (!source.includes('{{')) return;
  const problemOfText = (text: string) => problemOf(() => compileText(text, 'none', budget));
  const shown = isMarkdown ? problemOf(() => compileRichText(source, BARE, budget)) : undefined;
  if (isMarkdown && !shown && !hasOpenBraces(source)) return;
  // Markdown shifts lines: the source's own error has the right line.
  const problem = problemOfText(source) ?? shown;
  if (problem && (shown || !isMarkdown || problemOfText(withoutCodeBraces(source, budget)))) throw problem;
}

function problemOf(compile: () => unknown) {
  try {
    compile();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof BudgetSpent) throw error;
    return error;
  }
}

/** Whether some `{{` of the Markdown starts no template part and would be text. */
function hasOpenBraces(source: string) {
  const masked = maskedParts(source);
  return [...source.matchAll(/\{(?=\{)/g)].some(({ index }) => masked[index] === '{');
}

/** As HTML whose code contains no braces except those of variables. */
function withoutCodeBraces(source: string, budget: RenderBudget | undefined) {
  budget?.spendCompilation(source.length);
  const [last = '', ...others] = markdownToHtml(source, {}).html.split(CODE_END).reverse();
  const parts = others.reverse().map((part) => {
    const start = part.indexOf('<code');
    return start < 0 ? part : part.slice(0, start) + part.slice(start).replaceAll(LITERAL_BRACE, '');
  });
  return [...parts, last].join(CODE_END).replaceAll(LITERAL_BRACE, '{');
}
