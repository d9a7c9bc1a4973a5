import type { Content, SimpleContent } from '../elemental/compile';
import { isMjml } from '../raw';
import { BudgetSpent, INLINE_COMPILE_MAX, RenderBudget } from '../render-budget';
import { withPath } from '../with-path';
import { assertTextParses } from './text-check';
import { type ContentText, visitContent } from './visit-content';

/**
 * Refuses content of a send whose `{{…}}` do not parse. Other errors that `assertContentRenders` refuses in templates are
 * accepted in sends. Spends some ten milliseconds at most; errors beyond that are reported by the rendering.
 * @param content as `acceptedContent` lets it pass.
 * @throws ServiceError `invalid_request` that starts with the path: `message.content.title: Template line 1: …`.
 */
export function assertTemplatesParse(content: Content, name: string): void {
  const budget = new RenderBudget(undefined, INLINE_COMPILE_MAX);
  const text = ({ path, source, isMarkdown = false }: ContentText) => withPath(path, () => assertTextParses(source, isMarkdown, budget));
  const { title, body, elements } = content as SimpleContent;
  try {
    if (typeof title === 'string') text({ path: `${name}.title`, source: title });
    if (elements) {
      visitContent(elements, `${name}.elements`, {
        text,
        rawHtml(html, raw, path) {
          // MJML compiles as a whole, which exceeds the time of this check.
          if (!isMjml(raw)) text({ path, source: html });
        },
      });
    } else if (typeof body === 'string') text({ path: `${name}.body`, source: body, isMarkdown: true });
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
}
