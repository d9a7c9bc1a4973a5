import type { ElementalNode, ElementalOverride } from '@tidings/contracts/content/elemental';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { keyPath } from '@tidings/contracts/core/text';
import type { Content, SimpleContent } from '../elemental/compile';
import { isMjml } from '../raw';
import { BudgetSpent, INLINE_COMPILE_MAX, RenderBudget } from '../render-budget';
import { FILLED_IN, OF_MARKDOWN, SILENT } from './filled-in';
import { readable } from './readable';
import { assertTextParses } from './text-check';

/** A text with variables and its path. */
interface Text {
  readonly path: string;
  readonly source: string;
  readonly isMarkdown: boolean;
}

/**
 * Refuses content of a send whose `{{…}}` do not parse. Other errors that `assertContentRenders` refuses in templates are
 * accepted in sends. Spends some ten milliseconds at most; errors beyond that are reported by the rendering.
 * @param content as `acceptedContent` lets it pass.
 * @throws ServiceError `invalid_request` that starts with the path: `message.content.title: Template line 1: …`.
 */
export function assertTemplatesParse(content: Content, name: string): void {
  const budget = new RenderBudget(undefined, INLINE_COMPILE_MAX);
  try {
    for (const { path, source, isMarkdown } of textsOf(content, name))
      readable(path, () => assertTextParses(source, { isMarkdown, budget }));
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
}

/** The texts that contain `{{`; only these can fail. */
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

/** Skips MJML, which compiles as a whole and exceeds the time of this check. */
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
