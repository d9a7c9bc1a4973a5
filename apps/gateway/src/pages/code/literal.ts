/** How a language writes the values of JSON. */
export interface Dialect {
  readonly text: (text: string) => string;
  /** The name of a field, before its colon. */
  readonly key: (name: string) => string;
  /** Words for `null`, `true` and `false`. */
  readonly words: Readonly<Record<string, string>>;
  readonly indent: string;
  /** Between a brace and what is in it on the same line. */
  readonly braceSpace: string;
}

const LINE_MAX = 80;

/** A value of JSON as code: on one line where it fits. @param indent that of the line on which it begins */
export function literal(value: unknown, dialect: Dialect, indent = ''): string {
  if (typeof value === 'string') return dialect.text(value);
  if (typeof value !== 'object' || value === null) return dialect.words[String(value)] ?? String(value);
  const inner = indent + dialect.indent;
  if (Array.isArray(value)) {
    const items = value.map((one) => literal(one, dialect, inner));
    return enclosed(['[', ']'], items, { indent, inner });
  }
  const fields = Object.entries(value).map(([name, one]) => `${dialect.key(name)}: ${literal(one, dialect, inner)}`);
  return enclosed(['{', '}'], fields, { indent, inner, space: dialect.braceSpace });
}

/** Parts within brackets: on one line where they fit, otherwise each on its own. */
export function enclosed(
  [open, close]: readonly [string, string],
  parts: readonly string[],
  { indent, inner, space = '' }: { indent: string; inner: string; space?: string },
): string {
  if (parts.length === 0) return open + close;
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (indent.length + line.length <= LINE_MAX && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}
