/** What variables can name. `data` is what a path without prefix looks in. */
export interface RenderContext {
  readonly data?: unknown;
  readonly profile?: unknown;
  readonly tenant?: unknown;
  readonly brand?: unknown;
  /** Names every message has, such as `messageId` and `datetime`; found behind what `data` holds under the same name. */
  readonly builtIns?: Readonly<Record<string, unknown>>;
}

/** One variable of a template. */
export interface Variable {
  /** As the author wrote it, braces included. */
  readonly source: string;
  readonly path: readonly string[];
  /** `{name}` stays visible when there is nothing to put in its place, `{{name}}` does not. */
  readonly visibleWhenMissing: boolean;
}

const NAME = '[\\p{L}\\p{N}_$-]{1,100}';
// Every repetition is bounded and no two neighbours can match the same character: linear on any input.
const PATH = `${NAME}(?:\\.${NAME}|\\[(?:\\d{1,6}|'[^'\\]]{1,100}'|"[^"\\]]{1,100}")\\]){0,20}`;
const SINGLE = new RegExp(`\\{(${PATH})\\}`, 'uy');
const DOUBLE = new RegExp(`\\{\\{\\{?\\s{0,20}(${PATH})\\s{0,20}\\}\\}\\}?`, 'uy');
const PATH_PART = new RegExp(`${NAME}|\\[(?:'([^']+)'|"([^"]+)")\\]`, 'gu');
const SCOPES = new Set(['data', 'profile', 'tenant', 'brand'] as const);
const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Splits a text into what stays and its variables: `{path}` and `{{ path }}` (`{{{ path }}}` is the same, values are escaped
 * either way). Braces around anything else are text.
 */
export function parseVariables(text: string): (string | Variable)[] {
  const parts: (string | Variable)[] = [];
  let literalStart = 0;
  let open = text.indexOf('{');
  while (open >= 0) {
    const found = match(DOUBLE, text, open) ?? match(SINGLE, text, open);
    if (!found) {
      open = text.indexOf('{', open + 1);
      continue;
    }
    if (open > literalStart) parts.push(text.slice(literalStart, open));
    const [source, path = ''] = found;
    parts.push({ source, path: parsePath(path), visibleWhenMissing: !source.startsWith('{{') });
    literalStart = open + source.length;
    open = text.indexOf('{', literalStart);
  }
  if (literalStart < text.length) parts.push(text.slice(literalStart));
  return parts;
}

/** The text to put in a variable's place. Objects and lists become JSON; null becomes nothing. */
export function variableText(variable: Variable, context: RenderContext): string {
  const text = toText(lookUp(variable.path, context));
  return text ?? (variable.visibleWhenMissing ? variable.source : '');
}

/** The value at a path, or undefined. Follows own properties only, so nothing of the language itself can be reached. */
export function lookUp(path: readonly string[], context: RenderContext): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return undefined;
  if (first === '$') return rest.length > 0 ? inRoot(rest, context) : undefined;
  if (rest.length > 0 && isScope(first)) return descend(context[first], rest);
  const value = descend(context.data, path);
  return value === undefined ? descend(context.builtIns, path) : value;
}

function inRoot(path: readonly string[], context: RenderContext): unknown {
  const [first = '', ...rest] = path;
  return isScope(first) ? descend(context[first], rest) : descend(context.builtIns, path);
}

function isScope(name: string): name is 'data' | 'profile' | 'tenant' | 'brand' {
  return (SCOPES as ReadonlySet<string>).has(name);
}

function descend(start: unknown, path: readonly string[]): unknown {
  let value = start;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || FORBIDDEN_NAMES.has(name) || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function toText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? '' : toJson(value);
    default:
      return undefined;
  }
}

function toJson(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle or a bigint: nothing that came as JSON, so nothing a template could have meant.
    return undefined;
  }
}

function match(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

function parsePath(path: string): string[] {
  return Array.from(path.matchAll(PATH_PART), ([part, single, double]) => single ?? double ?? part);
}
