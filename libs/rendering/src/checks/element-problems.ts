import { isElementField } from '@tidings/contracts/content/elemental-fields';
import type { ElementalContent, ElementalNode } from '@tidings/contracts/content/elemental';
import { isColor } from '@tidings/contracts/content/colors';
import { invalid } from '@tidings/contracts/core/refusals';
import { keyPath } from '@tidings/contracts/core/text';
import type { Content } from '../elemental/compile';
import { ACTION_STYLES, ALIGNS, TEXT_STYLES } from '../elemental/blocks';
import { paddingOf, sizeOf } from '../elemental/style-values';
import type { Values } from '../scope';
import { NOWHERE, safeUrl } from '../urls';
import { emptinessOf } from './emptiness';
import { visitContent } from './visit-content';

/** Warnings about one content. */
const WARNINGS_MAX = 20;
const VALUE_LENGTH_SHOWN_MAX = 60;

/**
 * The warnings about content that is published, whatever its data; 20 at most.
 * @param content as `assertElemental` lets it pass; not of blocks.
 * @param name prefix of the paths.
 * @throws ServiceError `invalid_request` for an element that can show nothing (an action without `href`, a text without content), and
 * for content that shows nothing on any channel.
 */
export function publishedWarnings(content: ElementalContent, name: string): string[] {
  const { errors, warnings } = problemsOf(content, name);
  if (errors[0] !== undefined) throw invalid(errors[0]);
  return warnings.slice(0, WARNINGS_MAX);
}

/** The warnings about content that is stored as a draft, with those of what its publication would be refused for. */
export function draftWarnings(content: ElementalContent, name: string): string[] {
  const { errors, warnings } = problemsOf(content, name);
  return [...errors.map((error) => `${error}: this cannot be published`), ...warnings].slice(0, WARNINGS_MAX);
}

/** The warnings about a send's own content, as `checkSentContent` returns them. */
export function sentWarnings(content: Content, name: string): string[] {
  const { elements } = content as Partial<ElementalContent>;
  return elements ? problemsIn(elements, `${name}.elements`).all() : [];
}

function problemsOf(content: ElementalContent, name: string) {
  const path = `${name}.elements`;
  const problems = problemsIn(content.elements, path);
  const unknowns = Object.keys(content).filter((field) => !CONTENT_FIELDS.has(field));
  problems.warnings.unshift(...unknowns.map((field) => unknown(keyPath(name, field))));
  const nothing = problems.errors.length === 0 ? emptinessOf(content.elements, path) : undefined;
  if (nothing !== undefined) problems.errors.push(nothing);
  return problems;
}

function problemsIn(elements: readonly ElementalNode[], path: string) {
  const problems = new ElementProblems();
  visitContent(elements, path, { node: problems.node, text: () => undefined, rawHtml: () => undefined });
  return problems;
}

/** Collects what the author of elements probably did not mean. Each sentence starts with a path. */
export class ElementProblems {
  /** Elements that can show nothing, or lead nowhere. */
  readonly errors: string[] = [];
  /** Fields and values without effect; after the 20th no more are looked for. */
  readonly warnings: string[] = [];

  /** Checks one element, as a `ContentVisitor` does. */
  readonly node = (node: ElementalNode, path: string): void => {
    // Later elements may read any field of one with a `ref`.
    const unknowns = node.ref ? [] : Object.keys(node).filter((field) => !isElementField(node.type, field));
    const empty = emptiness(node);
    if (empty !== undefined) this.errors.push(`${path} ${empty}${unknowns.length > 0 ? ` (its ${unknowns[0]} is unknown)` : ''}`);
    const { warnings } = this;
    if (warnings.length >= WARNINGS_MAX) return;
    warnings.push(...unknowns.map((field) => unknown(keyPath(path, field))));
    if (PICTURES.has(node.type) && !inAnyLanguage(node, 'src', isText)) warnings.push(`${path} has no src: nothing is shown`);
    warnings.push(...valueWarnings(node, path));
    for (const [locale, fields] of Object.entries(node.locales ?? {})) {
      warnings.push(...valueWarnings(fields, keyPath(`${path}.locales`, locale)));
    }
  };

  /** The errors and the warnings, 20 at most. */
  all(): string[] {
    return [...this.errors, ...this.warnings].slice(0, WARNINGS_MAX);
  }
}

/** Why the node can show nothing; undefined where it may. */
function emptiness(node: ElementalNode) {
  if (node.type === 'action' && !inAnyLanguage(node, 'href', isText)) return 'is an action without href';
  if (node.type !== 'text' || inAnyLanguage(node, 'content', (value) => typeof value === 'string')) return undefined;
  return inAnyLanguage(node, 'elements', (value) => Array.isArray(value) && value.length > 0)
    ? undefined
    : 'is a text without content or elements';
}

function inAnyLanguage(node: ElementalNode, field: string, matches: (value: unknown) => boolean) {
  return matches(node[field]) || Object.values(node.locales ?? {}).some((fields) => matches(fields[field]));
}

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';

/** Warnings about values that no data can change. */
function* valueWarnings(fields: Values, path: string): Generator<string, void> {
  for (const [field, check] of VALUE_CHECKS) {
    const value = fields[field];
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '') continue;
    const text = String(value);
    // A variable decides.
    if (text.includes('{') || check.accepts(text)) continue;
    yield `${path}.${field} ${check.rule} (got ${JSON.stringify(text.slice(0, VALUE_LENGTH_SHOWN_MAX))})`;
  }
}

interface ValueCheck {
  accepts(text: string): boolean;
  readonly rule: string;
}

const PICTURES = new Set<string>(['image', 'img']);
/** `brand` is sent by older clients; the others are of answers, which clients put back. */
const CONTENT_FIELDS = new Set(['version', 'elements', 'brand', 'etag']);

const oneOf = (values: readonly string[]): ValueCheck => ({
  accepts: (text) => values.includes(text.toLowerCase()),
  rule: `is none of ${values.join(', ')}, and has no effect`,
});
const COLOR: ValueCheck = { accepts: isColor, rule: 'is no color, and has no effect' };
const SIZE: ValueCheck = { accepts: (text) => sizeOf(text) !== undefined, rule: 'is no size, and has no effect' };
const PADDING: ValueCheck = { accepts: (text) => paddingOf(text) !== undefined, rule: 'is not one to four sizes, and has no effect' };
const LINK: ValueCheck = { accepts: (text) => isUrl(text, 'deep-link'), rule: 'is no URL' };
const IMAGE: ValueCheck = { accepts: (text) => isUrl(text, 'image'), rule: 'is no URL of an image' };

const VALUE_CHECKS = new Map<string, ValueCheck>([
  ['align', oneOf(ALIGNS)],
  ...['text_style', 'textStyle'].map((field) => [field, oneOf(TEXT_STYLES)] as const),
  ['style', oneOf(ACTION_STYLES)],
  ['list_type', oneOf(['ordered', 'unordered'])],
  ...'color background_color backgroundColor border_color borderColor'.split(' ').map((field) => [field, COLOR] as const),
  ...'font_size line_height width border_size border_radius'.split(' ').map((field) => [field, SIZE] as const),
  ['padding', PADDING],
  ...['href', 'imgHref'].map((field) => [field, LINK] as const),
  ...['src', 'imgSrc'].map((field) => [field, IMAGE] as const),
]);

/** Whether it is a URL with a scheme that is shown or opened. */
function isUrl(text: string, use: 'image' | 'deep-link') {
  const url = text.trim();
  return safeUrl(url, use) !== NOWHERE && URL.canParse(url.startsWith('//') ? `https:${url}` : url);
}

function unknown(path: string) {
  return `${path} is unknown, and has no effect`;
}
