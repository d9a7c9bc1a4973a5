import type { ElementalContent, ElementalNode, ElementalOverride } from '@tidings/contracts/content/elemental';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid } from '@tidings/contracts/core/refusals';
import { keyPath } from '@tidings/contracts/core/text';
import { assertElementChannels } from '@tidings/contracts/messaging/channel-names';
import { MJML_COST, readMjml, sentenceOf } from '../email/mjml';
import { isMjml, rawEmailTemplate } from '../raw';
import { expressionProblem } from '../expressions/expression';
import { loopProblem } from '../expressions/loop-items';
import { markdownToHtml } from '../rich-text/markdown-html';
import { readingCost } from '../text/template-bounds';
import { FILLED_IN, OF_MARKDOWN, SILENT } from './filled-in';
import { assertNothingLeftOpen } from './left-open';
import { readable } from './readable';
import { assertTextParses } from './text-check';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Refuses content that could never be rendered whatever its data: Handlebars, Markdown around it, MJML, conditions and loops are
 * read with what rendering reads them with, and channels must exist. What only data decides (a missing snippet, a division by nothing) is not seen here.
 * @param content as `assertElemental` lets it pass.
 * @param name what it is called in errors.
 * @throws ServiceError `invalid_request` or `payload_too_large` that begins with the path: `content.elements[2].content: Template line 3: …`.
 */
export function assertContentRenders(content: ElementalContent, name: string): void {
  assertElementChannels(content.elements, `${name}.elements`);
  assertNodes(content.elements, `${name}.elements`);
}

/** What this check costs, as `readingCost` counts. */
export function contentCheckCost(content: ElementalContent): number {
  const hasMjml = content.elements.some((node) => node.type === 'channel' && isJsonObject(node.raw) && isMjml(node.raw));
  return readingCost(JSON.stringify(content)) + markdownChars(content.elements) + (hasMjml ? MJML_COST : 0);
}

/** Characters of the Markdown that is read. */
function markdownChars(nodes: readonly ElementalNode[]): number {
  let chars = 0;
  for (const node of nodes) {
    for (const { content, elements } of [node, ...Object.values<ElementalOverride>(node.locales ?? {})] as Fields[]) {
      if (OF_MARKDOWN.has(node.type) && typeof content === 'string' && /[{<]/.test(content)) chars += content.length;
      if (Array.isArray(elements)) chars += markdownChars(elements as ElementalNode[]);
    }
  }
  return chars;
}

function assertNodes(nodes: readonly ElementalNode[], path: string): void {
  let lastEnd: number | undefined;
  const isEndedBehind = (index: number): boolean => {
    lastEnd ??= nodes.findLastIndex((node) => JSON.stringify(node).includes('<![endif]-->'));
    return lastEnd > index;
  };
  nodes.forEach((node, index) => assertNode(node, `${path}[${index}]`, () => isEndedBehind(index)));
}

/** @param isConditionEndedLater whether an element behind it in the same place ends an Outlook condition. */
function assertNode(node: ElementalNode, path: string, isConditionEndedLater: () => boolean): void {
  if (SILENT.has(node.type)) return;
  const problem = (node.if && problemAt('if', expressionProblem(node.if))) || (node.loop && problemAt('loop', loopProblem(node.loop)));
  if (problem) throw invalid(`${path}.${problem}`);
  assertFields(node.type, node, { path, isConditionEndedLater });
  if (node.type === 'channel' && isJsonObject(node.raw)) assertRaw(node.raw, `${path}.raw`);
  for (const [locale, override] of Object.entries<ElementalOverride>(node.locales ?? {})) {
    assertFields(node.type, override, { path: keyPath(`${path}.locales`, locale), isConditionEndedLater });
  }
}

interface NodeContext {
  readonly path: string;
  readonly isConditionEndedLater: () => boolean;
}

/** What a node says in one language. */
function assertFields(type: string, fields: Fields, { path, isConditionEndedLater }: NodeContext): void {
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value !== 'string' || !FILLED_IN.has(field)) continue;
    const isMarkdown = field === 'content' && OF_MARKDOWN.has(type);
    readable(`${path}.${field}`, () => {
      assertTextParses(value, { isMarkdown });
      if (isMarkdown) assertMarkdownClosed(value, isConditionEndedLater);
      else if (field === 'content' && type === 'html') assertNothingLeftOpen(value, { isConditionEndedLater });
    });
  }
  if (Array.isArray(fields.elements)) assertNodes(fields.elements as ElementalNode[], `${path}.elements`);
}

/** Refuses Markdown whose own HTML hides what comes behind it. */
export function assertMarkdownClosed(source: string, isConditionEndedLater?: () => boolean): void {
  if (source.includes('<')) assertNothingLeftOpen(markdownToHtml(source, {}).html, { source, isConditionEndedLater });
}

function assertRaw(raw: Fields, path: string): void {
  for (const [key, value] of Object.entries(raw)) {
    if (key === 'html' && typeof value === 'string') readable(`${path}.html`, () => assertHtml(raw, value));
    else assertTexts(value, keyPath(path, key));
  }
}

function assertHtml(raw: Fields, html: string): void {
  rawEmailTemplate(raw);
  const [unknown] = html && isMjml(raw) ? readMjml(html).unknown : [];
  if (unknown) throw invalid(sentenceOf(unknown));
  assertNothingLeftOpen(html);
}

function assertTexts(value: unknown, path: string): void {
  if (typeof value === 'string') {
    readable(path, () => assertTextParses(value, { isMarkdown: false }));
  } else if (Array.isArray(value)) value.forEach((item, index) => assertTexts(item, `${path}[${index}]`));
  else if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) assertTexts(item, keyPath(path, key));
}

function problemAt(field: string, problem: string | undefined): string | undefined {
  return problem && `${field}: ${problem}`;
}
