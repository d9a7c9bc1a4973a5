import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { invalid } from '@tidings/contracts/core/refusals';
import { assertElementChannels } from '@tidings/contracts/messaging/channel-names';
import { MJML_COST, compileMjml, sentenceOf } from '../email/mjml';
import { isMjml, rawEmailTemplate } from '../raw';
import { expressionProblem } from '../expressions/expression';
import { loopProblem } from '../expressions/loop-items';
import { markdownToHtml } from '../rich-text/markdown-html';
import { compileCost } from '../text/template-bounds';
import { withPath } from '../with-path';
import { assertNothingLeftOpen } from './left-open';
import { assertTextParses } from './text-check';
import { visitContent } from './visit-content';

/**
 * Refuses content that cannot be rendered with any data: Handlebars, the Markdown around it, MJML, conditions and loops are
 * compiled as for rendering, and channels must exist. Errors that depend on data (a missing snippet, a division by zero) are not
 * detected.
 * @param content as `assertElemental` lets it pass.
 * @param name prefix of the paths in errors.
 * @throws ServiceError `invalid_request` or `payload_too_large` that starts with the path: `content.elements[2].content: Template line 3: …`.
 */
export function assertContentRenders({ elements }: ElementalContent, name: string): void {
  assertElementChannels(elements, `${name}.elements`);
  visitContent(elements, `${name}.elements`, {
    node(node, path) {
      const condition = node.if && expressionProblem(node.if);
      if (condition) throw invalid(`${path}.if: ${condition}`);
      const loop = node.loop && loopProblem(node.loop);
      if (loop) throw invalid(`${path}.loop: ${loop}`);
    },
    text({ path, source, isMarkdown = false, isHtml, isConditionEndedLater }) {
      withPath(path, () => {
        assertTextParses(source, isMarkdown);
        if (isMarkdown) assertMarkdownClosed(source, isConditionEndedLater);
        else if (isHtml) assertNothingLeftOpen(source, isConditionEndedLater);
      });
    },
    rawHtml(html, raw, path) {
      withPath(path, () => {
        rawEmailTemplate(raw);
        const [unknown] = html && isMjml(raw) ? compileMjml(html).unknown : [];
        if (unknown) throw invalid(sentenceOf(unknown));
        assertNothingLeftOpen(html);
      });
    },
  });
}

/** Cost of this check, in the unit of `compileCost`. */
export function contentCheckCost(content: ElementalContent): number {
  let cost = compileCost(JSON.stringify(content));
  visitContent(content.elements, '', {
    text({ source, isMarkdown }) {
      if (isMarkdown && /[{<]/.test(source)) cost += source.length;
    },
    rawHtml(_html, raw) {
      if (isMjml(raw)) cost += MJML_COST;
    },
  });
  return cost;
}

/** Refuses Markdown whose raw HTML hides the content after it. */
export function assertMarkdownClosed(source: string, isConditionEndedLater?: () => boolean): void {
  if (source.includes('<')) assertNothingLeftOpen(markdownToHtml(source, {}).html, isConditionEndedLater, source);
}
