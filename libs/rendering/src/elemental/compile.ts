import type { ElementalContent, ElementalNode, ElementalOverride } from '@tidings/contracts/content/elemental';
import { canonicalLocale } from '@tidings/contracts/content/locale';
import { ServiceError } from '@tidings/contracts/core/errors';
import { isGiven } from '@tidings/contracts/core/refusals';
import { compileExpression } from '../expressions/expression';
import { ELEMENT_DEPTH_MAX } from '../limits';
import { ObjectCache } from '../compile-cache';
import type { RenderBudget } from '../render-budget';
import type { CompiledBody, CompiledContent, CompiledNode } from './compiled';

/** The simple form of content: `title` is one line of text, `body` Markdown. `elements` beside them win over the body. */
export interface SimpleContent {
  readonly title?: string | null;
  readonly body?: string | null;
  readonly elements?: ElementalNode[] | null;
}

export type Content = ElementalContent | SimpleContent;

const CONTENTS_CACHED = 2_000;
/** Cost of compiling an element, and of each character of its condition, in the unit of `INLINE_COMPILE_MAX`. */
const ELEMENT_COST = 10;
const CONDITION_CHAR_COST = 2;
const LOCALIZED_FIELDS = ['content', 'title', 'href', 'src', 'elements'] as const;

const contents = new ObjectCache<object, CompiledContent>(CONTENTS_CACHED, 1_000_000);

/**
 * Compiles content so that rendering only fills it in. The result is cached by object identity, or by `key`: a name unique to this
 * content, such as workspace, template and version. Texts are compiled at their first rendering, so a mistake in one channel's
 * text does not affect other channels.
 * @param content as `assertElemental` lets it pass, or the simple form.
 * @param budget pays for the first compilation.
 */
export function compile(content: Content, key?: string, budget?: RenderBudget): CompiledContent {
  return contents.getOrMake(content, key, () => ({ nodes: compileNodes(elementsOf(content), 'elements', { depth: 0, budget }) }));
}

function elementsOf(content: Content): readonly ElementalNode[] {
  const { title, body, elements } = content as SimpleContent;
  if (typeof title !== 'string' && typeof body !== 'string') return elements ?? [];
  const meta: ElementalNode[] = typeof title === 'string' ? [{ type: 'meta', title }] : [];
  return [...meta, ...(elements ?? (typeof body === 'string' ? [{ type: 'text', content: body } satisfies ElementalNode] : []))];
}

interface CompileContext {
  readonly depth: number;
  readonly budget: RenderBudget | undefined;
}

function compileNodes(nodes: unknown, path: string, context: CompileContext): CompiledNode[] {
  if (!Array.isArray(nodes) || nodes.length === 0) return [];
  if (context.depth >= ELEMENT_DEPTH_MAX)
    throw new ServiceError('invalid_request', `${path} is nested deeper than ${ELEMENT_DEPTH_MAX} elements`);
  return (nodes as ElementalNode[]).map((node, index) => compileNode(node, `${path}[${index}]`, context));
}

function compileNode(node: ElementalNode, path: string, context: CompileContext): CompiledNode {
  context.budget?.spendReading(ELEMENT_COST + CONDITION_CHAR_COST * (node.if?.length ?? 0));
  const { type, channels, loop, ref } = node;
  const languages = new Map<string, CompiledBody>();
  for (const [locale, override] of Object.entries<ElementalOverride>(node.locales ?? {})) {
    const localized = Object.fromEntries(LOCALIZED_FIELDS.flatMap((field) => (isGiven(override[field]) ? [[field, override[field]]] : [])));
    languages.set(canonicalLocale(locale), compileBody({ ...node, ...localized }, `${path}.locales.${locale}`, context));
  }
  return {
    path,
    type,
    channels: channels && channels.length > 0 ? new Set(channels) : undefined,
    loop: loop || undefined,
    condition: node.if ? compileExpression(node.if) : undefined,
    ref: ref || undefined,
    body: compileBody(node, path, context),
    languages,
  };
}

function compileBody(fields: Readonly<Record<string, unknown>>, path: string, { depth, budget }: CompileContext): CompiledBody {
  const children = compileNodes(fields.elements, `${path}.elements`, { depth: depth + 1, budget });
  return { fields, children, richTexts: new WeakMap() };
}
