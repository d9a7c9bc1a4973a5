import type { ElementalNode, ElementalOverride } from '@tidings/contracts/content/elemental';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { keyPath } from '@tidings/contracts/core/text';
import type { Content, SimpleContent } from '../elemental/compile';
import { isMjml } from '../raw';
import { BudgetSpent, INLINE_READING_MAX, RenderBudget } from '../render-budget';
import { FILLED_IN, OF_MARKDOWN, SILENT } from './filled-in';
import { readable } from './readable';
import { assertTextParses } from './text-check';

/** A text with variables, and where its author wrote it. */
interface Text {
  readonly path: string;
  readonly source: string;
  readonly isMarkdown: boolean;
}

/**
 * Refuses content of a send whose `{{…}}` cannot be read: no data could mend it. What else `assertContentRenders` refuses of a template
 * is passed, as sends may be made of it. Reads for some ten milliseconds at most: what is behind that is left for the rendering to say.
 * @param content as `acceptedContent` lets it pass.
 * @throws ServiceError `invalid_request` that begins with the path: `message.content.title: Template line 1: …`.
 */
export function assertTemplatesParse(content: Content, name: string): void {
  const budget = new RenderBudget(undefined, INLINE_READING_MAX);
  try {
    for (const { path, source, isMarkdown } of textsOf(content, name))
      readable(path, () => assertTextParses(source, { isMarkdown, budget }));
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
}

/** The texts of content that have `{{` in them: nothing else can be wrong. */
function* textsOf(content: Content, name: string): Generator<Text> {
  const { title, body, elements } = content as SimpleContent;
  if (hasTemplate(title)) yield { path: `${name}.title`, source: title, isMarkdown: false };
  if (elements) yield* textsOfNodes(elements, `${name}.elements`);
  else if (hasTemplate(body)) yield { path: `${name}.body`, source: body, isMarkdown: true };
}

function* textsOfNodes(nodes: readonly ElementalNode[], path: string): Generator<Text> {
  for (const [index, node] of nodes.entries()) {
    if (SILENT.has(node.type)) continue;
    const at = `${path}[${index}]`;
    yield* textsOfFields(node.type, node, at);
    if (node.type === 'channel' && isJsonObject(node.raw)) yield* textsOfRaw(node.raw, `${at}.raw`);
    for (const [locale, override] of Object.entries<ElementalOverride>(node.locales ?? {})) {
      yield* textsOfFields(node.type, override, keyPath(`${at}.locales`, locale));
    }
  }
}

function* textsOfFields(type: string, fields: Readonly<Record<string, unknown>>, path: string): Generator<Text> {
  for (const [field, source] of Object.entries(fields)) {
    if (!FILLED_IN.has(field) || !hasTemplate(source)) continue;
    yield { path: `${path}.${field}`, source, isMarkdown: field === 'content' && OF_MARKDOWN.has(type) };
  }
  if (Array.isArray(fields.elements)) yield* textsOfNodes(fields.elements as ElementalNode[], `${path}.elements`);
}

/** MJML is read as a whole, which takes longer than there is. */
function* textsOfRaw(raw: Readonly<Record<string, unknown>>, path: string): Generator<Text> {
  for (const [key, value] of Object.entries(raw)) if (key !== 'html' || !isMjml(raw)) yield* textsIn(value, keyPath(path, key));
}

function* textsIn(value: unknown, path: string): Generator<Text> {
  if (hasTemplate(value)) yield { path, source: value, isMarkdown: false };
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* textsIn(item, `${path}[${index}]`);
  else if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) yield* textsIn(item, keyPath(path, key));
}

function hasTemplate(value: unknown): value is string {
  return typeof value === 'string' && value.includes('{{');
}
