import type { ElementalContent, ElementalNode, ElementalOverride, ElementalType } from '@tidings/contracts/content/elemental';
import { canonicalLocale } from '@tidings/contracts/content/locale';
import { invalid, isGiven } from '@tidings/contracts/core/refusals';
import { compileExpression, type Condition } from '../expressions/expression';
import { ObjectCache } from '../compile-cache';
import type { RenderBudget } from '../render-budget';
import type { TextStyles } from '../rich-text/rich-text';
import type { Values } from '../scope';
import type { CompiledText } from '../text/template-text';

/** The simple form of content: `title` is one line of text, `body` Markdown. `elements` beside them win over the body. */
export interface SimpleContent {
  readonly title?: string | null;
  readonly body?: string | null;
  readonly elements?: ElementalNode[] | null;
}

/** Content in one of its forms: Elemental, or a title and a body. */
export type Content = ElementalContent | SimpleContent;

/** The content of a node in one language. */
export interface CompiledBody {
  /** The node's fields, overridden by those of the language. */
  readonly fields: Values;
  readonly children: readonly CompiledNode[];
  /** Compiled Markdown, by styles. */
  readonly richTexts: WeakMap<TextStyles, CompiledText>;
}

/** A node, ready to be rendered any number of times. */
export interface CompiledNode {
  /** Path in the content: `elements[2].elements[0]`. */
  readonly path: string;
  readonly type: ElementalType;
  readonly channels: ReadonlySet<string> | undefined;
  readonly loop: string | undefined;
  readonly condition: Condition | undefined;
  readonly ref: string | undefined;
  readonly body: CompiledBody;
  /** By canonical locale: `fr_FR`. */
  readonly languages: ReadonlyMap<string, CompiledBody>;
}

/** Nesting depth of elements. */
const ELEMENT_DEPTH_MAX = 20;
/** Cost of compiling an element, and of each character of its condition, in the unit of `INLINE_COMPILE_MAX`. */
const ELEMENT_COST = 10;
const CONDITION_CHAR_COST = 2;
const LOCALIZED_FIELDS = ['content', 'title', 'href', 'src', 'elements'] as const;

const contents = new ObjectCache<Content, CompiledNode[]>();

/**
 * Compiles content so that rendering only fills it in. The result is cached by object identity, or by `key`: a name unique to this
 * content, such as workspace, template and version. Texts are compiled at their first rendering, so a mistake in one channel's
 * text does not affect other channels.
 * @param content as `assertElemental` lets it pass, or the simple form.
 * @param budget pays for the first compilation.
 */
export function compile(content: Content, key?: string, budget?: RenderBudget): readonly CompiledNode[] {
  return contents.getOrMake(content, key, () => compileNodes(elementsOf(content), 'elements', 0, budget));
}

function elementsOf(content: Content): readonly ElementalNode[] {
  const { title, body, elements } = content as SimpleContent;
  if (typeof title !== 'string' && typeof body !== 'string') return elements ?? [];
  const meta: ElementalNode[] = typeof title === 'string' ? [{ type: 'meta', title }] : [];
  return [...meta, ...(elements ?? (typeof body === 'string' ? [{ type: 'text', content: body } satisfies ElementalNode] : []))];
}

function compileNodes(nodes: unknown, path: string, depth: number, budget?: RenderBudget): CompiledNode[] {
  if (!Array.isArray(nodes) || nodes.length === 0) return [];
  if (depth >= ELEMENT_DEPTH_MAX) throw invalid(`${path} is nested deeper than ${ELEMENT_DEPTH_MAX} elements`);
  return (nodes as ElementalNode[]).map((node, index) => compileNode(node, `${path}[${index}]`, depth, budget));
}

function compileNode(node: ElementalNode, path: string, depth: number, budget?: RenderBudget) {
  budget?.spendCompilation(ELEMENT_COST + CONDITION_CHAR_COST * (node.if?.length ?? 0));
  const compileBody = (fields: Values, at: string): CompiledBody => ({
    fields,
    children: compileNodes(fields.elements, `${at}.elements`, depth + 1, budget),
    richTexts: new WeakMap(),
  });
  const { type, channels, loop, ref } = node;
  const languages = new Map<string, CompiledBody>();
  for (const [locale, override] of Object.entries<ElementalOverride>(node.locales ?? {})) {
    const localized = Object.fromEntries(LOCALIZED_FIELDS.flatMap((field) => (isGiven(override[field]) ? [[field, override[field]]] : [])));
    languages.set(canonicalLocale(locale), compileBody({ ...node, ...localized }, `${path}.locales.${locale}`));
  }
  return {
    path,
    type,
    channels: channels && channels.length > 0 ? new Set(channels) : undefined,
    loop: loop || undefined,
    condition: node.if ? compileExpression(node.if) : undefined,
    ref: ref || undefined,
    body: compileBody(node, path),
    languages,
  };
}
