import type { Content, SimpleContent } from '../elemental/compile';
import { isMjml } from '../raw';
import { BudgetSpent, RenderBudget } from '../render-budget';
import { withPath } from '../with-path';
import { ElementProblems } from './element-problems';
import { assertTextParses } from './text-check';
import { type ContentText, visitContent } from './visit-content';

/** Compilation budget of one check, some 25 ms, in the unit of `INLINE_COMPILE_MAX`: a thousand `{{…}}`, or half of that in Markdown that is compiled twice. */
const CHECK_COMPILE_MAX = 100_000;

/**
 * Refuses content of a send whose `{{…}}` do not parse. Other errors that `assertContentRenders` refuses in templates are
 * accepted in sends. A text that exceeds the rest of the budget is not checked: the rendering reports its errors.
 * @param content as `acceptedContent` lets it pass.
 * @returns the warnings about its elements, 20 at most: those of a publication, and what a publication would be refused for. The
 * types of the SDKs allow an action without `href` and a text without content.
 * @throws ServiceError `invalid_request` that starts with the path: `message.content.title: Template line 1: …`.
 */
export function checkSentContent(content: Content, name: string): string[] {
  const budget = new RenderBudget(undefined, CHECK_COMPILE_MAX);
  const text = ({ path, source, isMarkdown = false }: ContentText) => {
    try {
      withPath(path, () => assertTextParses(source, isMarkdown, budget));
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
    }
  };
  const { title, body, elements } = content as SimpleContent;
  if (typeof title === 'string') text({ path: `${name}.title`, source: title });
  if (!elements) {
    if (typeof body === 'string') text({ path: `${name}.body`, source: body, isMarkdown: true });
    return [];
  }
  const problems = new ElementProblems();
  visitContent(elements, `${name}.elements`, {
    node: problems.node,
    text,
    rawHtml(html, raw, path) {
      // MJML compiles as a whole, which exceeds the time of this check.
      if (!isMjml(raw)) text({ path, source: html });
    },
  });
  return problems.all();
}
